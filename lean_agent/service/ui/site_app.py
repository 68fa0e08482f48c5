"""All pages put together, to stand beside the addresses of the service."""

from __future__ import annotations

from fastapi import FastAPI

from lean_agent.service.desk import Desk
from lean_agent.service.ui import pages, playground, repositories, runs, searches
from lean_agent.service.ui.pages import Site


def add_pages(app: FastAPI, desk: Desk) -> Site:
    """Add the pages to the application of a service; returns what is to be closed with it."""
    site = app.state.site = Site(desk)
    for module in (pages, repositories, playground, runs, searches):
        app.include_router(module.router)
    return site
