"use strict";
/* Put another text into a part of a page: what was open there stays open, and the keyboard where it was. */
window.lean_agent_replace = (area, text) => {
  const open = new Set([...area.querySelectorAll("details[open]")].map(e => e.firstElementChild.textContent));
  const focus = area.contains(document.activeElement) ? document.activeElement.textContent : null;
  area.innerHTML = text;
  for (const e of area.querySelectorAll("details")) if (open.has(e.firstElementChild.textContent)) e.open = true;
  if (focus) [...area.querySelectorAll("a, button, summary")].find(e => e.textContent === focus)?.focus();
};

/* Parts of pages that change by themselves: a stream of events says when, and the part is asked for again.
   A browser that slept takes the stream up again by itself; where it does not, it is opened anew when the tab is seen. */
(() => {
  const area = document.querySelector("[data-live]");
  if (!area) return;
  const words = document.querySelector("[data-connection]");
  let source = null, busy = false, again = false;

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(area.dataset.live, { headers: { "X-Fragment": "1" } });
      lean_agent_replace(area, await answer.text());
    } catch (error) {
      words.textContent = "The service does not answer; this page goes on by itself when it does.";
    } finally {
      busy = false;
      if (again) { again = false; setTimeout(refresh, 200); }
    }
  }

  function listen() {
    source?.close();
    source = new EventSource(area.dataset.events);
    source.addEventListener("change", event => {
      const mark = JSON.parse(event.data);
      if (mark !== area.dataset.mark) { area.dataset.mark = mark; refresh(); }
    });
    source.addEventListener("open", () => { words.textContent = "This page is kept up to date."; });
    source.addEventListener("error", () => {
      // what changed meanwhile comes as the first event of the next stream
      words.textContent = source.readyState === EventSource.CLOSED
        ? "The connection has ended; it is made again when this tab is looked at." : "The connection is made again …";
    });
  }

  listen();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && source.readyState === EventSource.CLOSED) { listen(); refresh(); }
  });
  window.addEventListener("pageshow", event => { if (event.persisted) { listen(); refresh(); } });
  window.addEventListener("pagehide", () => source?.close());
})();
