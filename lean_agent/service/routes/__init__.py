"""The addresses of the service, a module for each group. What they share is :mod:`lean_agent.service.desk`."""
