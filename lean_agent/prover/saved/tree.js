"use strict";
/* A search: a map that can be zoomed, the search as a film, and an outline. It stands alone in the page that
   `lean-agent search show --html` writes, with its data beside it, and in the pages of the service, which fetch the data:
   of a search that runs again and again, and then what was chosen, opened and zoomed stays as it is. */

const root = document.getElementById("search");
const el = (tag, attributes = {}, ...inside) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) e.setAttribute(name, value);
  e.append(...inside);
  return e;
};
const percent = e => e.proposed_by === "policy" ? (100 * Math.exp(e.logprob)).toFixed(1) + " %" : e.proposed_by;
const keyOf = (graph, id) => graph + ":" + id;

const byKey = search => new Map(search.nodes.map(n => [keyOf(n.graph, n.id), n]));

function show(search) {
  const nodes = byKey(search), summary = drawSummary(search), map = drawMap(search, nodes);
  const outline = drawOutline(search, nodes, map.select);
  map.onOutline = outline.show;
  const page = { nodes: nodes.size, map, take };  // for those who look at the page by program, too
  function take(newer) {
    const known = byKey(newer);
    summary.take(newer);
    map.take(newer, known);
    outline.take(newer, known);
    page.nodes = known.size;
  }
  window.lean_agent_tree = page;
  return page;
}

// -- what there is in numbers

function drawSummary(search) {
  const proof = el("div", { class: "proof", id: "proof" }), counts = el("p", { class: "note", id: "counts" });
  root.append(proof, counts);
  function take(newer) {
    proof.hidden = !newer.script.length;
    proof.replaceChildren(el("pre", {}, "by\n" + newer.script.map(t => t.replace(/^/gm, "  ")).join("\n")));
    counts.textContent = countsOf(newer);
  }
  take(search);
  return { take };
}

function countsOf(search) {
  const kinds = new Map(), states = new Map();
  for (const node of search.nodes) {
    const status = node.solved ? "solved" : node.status;
    states.set(status, (states.get(status) ?? 0) + 1);
    for (const failure of node.failures) kinds.set(failure.kind, (kinds.get(failure.kind) ?? 0) + 1);
  }
  const words = counts => [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => count.toLocaleString("en") + " " + name).join(", ");
  return "States: " + (words(states) || "none") + ". Tactics that failed: " + (words(kinds) || "none") + ".";
}

// -- the map

function drawMap(search, nodes) {
  let places, order, number;
  const canvas = el("canvas", { role: "img" });
  const detail = el("div", { class: "detail", tabindex: "0", role: "region", "aria-label": "The state that was chosen", "aria-live": "polite" }, el("p", { class: "note" }, "Choose a state in the map: click it, or step through them with Next and Previous."));
  const colour = el("select", { "aria-label": "Colours of the map" }, ...[["status", "by what became of it"], ["logprob", "by priority (log-probability)"], ["value", "by value"]].map(([value, name]) => el("option", { value }, name)));
  const film = el("input", { type: "range", min: "1", max: "1", value: "1", "aria-label": "States known, in the order in which they were reached" });
  const play = button("Play"), said = el("span", { class: "note", id: "film" });
  const key = el("ul", { class: "key", "aria-label": "Colours" });
  const view = { x: 0, y: 0, sx: 1, sy: 1 };
  let chosen = null, timer = 0, drag = null, waiting = false, isFitted = true;
  const api = { select, onOutline: null, view, places: null, take };

  const controls = el("div", { class: "controls" }, el("label", {}, "Colours ", colour),
    button("+", () => zoom(1.5), "Zoom in"), button("−", () => zoom(1 / 1.5), "Zoom out"), button("Whole tree", fit),
    button("Previous", () => step(-1)), button("Next", () => step(1)));
  const filmControls = el("div", { class: "controls" }, el("strong", {}, "Film "), play, film, said);
  root.append(el("h2", {}, "Map"), controls, el("div", { class: "map" }, canvas, detail), key, filmControls);

  const style = name => getComputedStyle(root).getPropertyValue(name).trim();
  function fit() {
    isFitted = true;
    const box = canvas.getBoundingClientRect();
    Object.assign(view, { sx: (box.width - 40) / Math.max(1, places.width), sy: Math.min(56, (box.height - 40) / Math.max(1, places.height)), x: 20, y: 20 });
    view.sx = Math.min(view.sx, 140);
    draw();
  }
  function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    view.x = x - (x - view.x) * factor;
    view.y = y - (y - view.y) * factor;
    view.sx *= factor;
    view.sy *= factor;
    isFitted = false;
    draw();
  }
  const spot = name => { const p = places.at.get(name); return [view.x + p[0] * view.sx, view.y + p[1] * view.sy]; };
  const known = name => number.get(name) < Number(film.value);

  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paint(); });
  }
  function paint() {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const colours = { good: style("--good"), bad: style("--bad"), open: style("--open"), dead: style("--dead"), line: style("--t-dim"), text: getComputedStyle(root).color };
    const radius = Math.max(2.5, Math.min(7, view.sy * 0.35));
    for (const proof of [false, true]) {
      pen.strokeStyle = proof ? colours.good : colours.line;
      pen.globalAlpha = proof ? 1 : 0.35;
      pen.lineWidth = proof ? 2 : 1;
      pen.beginPath();
      for (const node of search.nodes) {
        const from = keyOf(node.graph, node.id);
        if (!known(from)) continue;
        for (const edge of node.edges) {
          if (edge.proves !== proof) continue;
          for (const target of edge.targets) {
            const to = keyOf(node.graph, target);
            if (!known(to) || to === from) continue;
            const [ax, ay] = spot(from), [bx, by] = spot(to);
            if (Math.max(ax, bx) < 0 || Math.min(ax, bx) > width || Math.max(ay, by) < 0 || Math.min(ay, by) > height) continue;
            pen.moveTo(ax, ay);
            pen.bezierCurveTo((ax + bx) / 2, ay, (ax + bx) / 2, by, bx, by);
          }
        }
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const scale = scaleOf(colour.value);
    for (const name of order) {
      if (!known(name)) break;
      const [x, y] = spot(name);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      pen.fillStyle = colourOf(nodes.get(name), scale, colours);
      pen.beginPath();
      pen.arc(x, y, name === chosen ? radius + 3 : radius, 0, 7);
      pen.fill();
      if (name === chosen) { pen.strokeStyle = colours.text; pen.lineWidth = 2; pen.stroke(); }
    }
    said.textContent = "state " + film.value + " of " + search.nodes.length;
  }
  function scaleOf(what) {
    if (what === "status") return null;
    const values = search.nodes.map(n => n[what]).filter(v => v !== null);
    return { what, low: Math.min(...values), high: Math.max(...values) };
  }
  function colourOf(node, scale, colours) {
    if (scale === null) return node.solved ? colours.good : { open: colours.open, dead: colours.dead }[node.status] ?? colours.bad;
    const value = node[scale.what];
    if (value === null) return colours.dead;
    const share = scale.high > scale.low ? (value - scale.low) / (scale.high - scale.low) : 1;
    return `hsl(${Math.round(20 + 120 * share)} 70% ${matchMedia("(prefers-color-scheme: dark)").matches ? 60 : 38}%)`;
  }
  function drawKey() {
    const names = colour.value === "status" ? [["c-solved", "solved"], ["c-expanded", "expanded"], ["c-open", "open: not asked yet"], ["c-dead", "dead: no tactic works"]] : [["c-low", "lowest"], ["c-high", "highest"], ["c-dead", "not known"]];
    key.replaceChildren(...names.map(([cls, name]) => el("li", { class: cls }, name)));
  }

  function select(name) {
    chosen = name;
    describe(name);
    if (!known(name)) film.value = String(number.get(name) + 1);
    const [x, y] = spot(name);
    if (x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) { view.x += canvas.clientWidth / 2 - x; view.y += canvas.clientHeight / 2 - y; isFitted = false; }
    draw();
  }
  function describe(name) {
    const node = nodes.get(name), lines = [];
    const priority = "log-probability " + node.logprob.toFixed(2) + ", depth " + node.depth + (node.value === null ? "" : ", value " + node.value.toFixed(3));
    lines.push(el("p", {}, el("strong", {}, "State " + node.id + " "), (node.solved ? "solved" : node.status) + "; " + priority), el("pre", {}, node.goals.join("\n\n") || "no goals"));
    if (node.edges.length) lines.push(el("h3", {}, "Tactics that worked"));
    for (const edge of node.edges) {
      const line = el("div", { class: "edge" + (edge.proves ? " proves" : "") }, el("code", {}, edge.tactic), el("span", { class: "p" }, percent(edge) + (edge.targets.length ? "" : " · closes it")));
      for (const target of edge.targets) line.append(button("→ state " + target, () => select(keyOf(node.graph, target)), null, "known"));
      lines.push(line);
    }
    const byKind = Map.groupBy ? Map.groupBy(node.failures, f => f.kind) : grouped(node.failures);
    for (const [kind, failures] of byKind) {
      lines.push(el("h3", {}, failures.length + " failed: " + kind));
      for (const failure of failures) lines.push(el("div", { class: "fail" }, el("code", {}, failure.tactic), el("span", { class: "said" }, failure.message)));
    }
    lines.push(el("p", {}, button("Show it in the outline", () => api.onOutline?.(name))));
    detail.replaceChildren(...lines);
    detail.scrollTop = 0;
  }
  function take(newer, newNodes) {
    const before = chosen === null ? null : JSON.stringify(nodes.get(chosen)), isAtEnd = !timer && film.value === film.max;
    search = newer;
    nodes = newNodes;
    api.places = places = laidOut(search, nodes);
    order = search.nodes.map(n => keyOf(n.graph, n.id));
    number = new Map(order.map((name, index) => [name, index]));
    canvas.setAttribute("aria-label", "Map of the " + order.length + " states of the search; the outline below says the same in words");
    film.max = String(order.length);
    if (isAtEnd) film.value = film.max;
    if (before !== null && JSON.stringify(nodes.get(chosen)) !== before) describe(chosen);
    if (isFitted) fit(); else draw();
  }
  const step = by => select(order[chosen === null ? 0 : Math.max(0, Math.min(order.length - 1, number.get(chosen) + by))]);

  function nearest(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = null, least = 15 * 15;
    for (const name of order) {
      if (!known(name)) break;
      const [nx, ny] = spot(name), d = (nx - x) ** 2 + (ny - y) ** 2;
      if (d < least) { least = d; best = name; }
    }
    return best;
  }
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => { drag = { x: event.clientX, y: event.clientY, far: 0 }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", event => {
    if (!drag) return;
    view.x += event.clientX - drag.x;
    view.y += event.clientY - drag.y;
    isFitted = false;
    drag = { x: event.clientX, y: event.clientY, far: drag.far + Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) };
    draw();
  });
  canvas.addEventListener("pointerup", event => {
    if (drag && drag.far < 4) { const name = nearest(event); if (name !== null) select(name); }
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  film.addEventListener("input", draw);
  colour.addEventListener("change", () => { drawKey(); draw(); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (Number(film.value) >= order.length) film.value = "1";
    play.textContent = "Pause";
    const each = Math.max(1, Math.ceil(order.length / 400));  // no film is longer than twenty seconds
    timer = setInterval(() => {
      film.value = String(Number(film.value) + each);
      draw();
      if (Number(film.value) >= order.length) stop();
    }, 50);
  });
  function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
  new ResizeObserver(fit).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  drawKey();
  take(search, nodes);
  return api;
}

/* A place for every state: its depth across, and down the middle of those that were reached from it. */
function laidOut(search, nodes) {
  const children = new Map(search.nodes.map(n => [keyOf(n.graph, n.id), []])), roots = [], at = new Map();
  for (const node of search.nodes) {
    const up = node.parent === null ? null : children.get(keyOf(node.graph, node.parent));
    (up && node.parent !== node.id && node.id !== 0 ? up : roots).push(keyOf(node.graph, node.id));
  }
  let row = 0, deepest = 0;
  for (const start of roots) {
    const open = [[start, 0]];
    while (open.length) {
      const [name, next] = open[open.length - 1], below = children.get(name);
      if (next < below.length) {
        open[open.length - 1][1] += 1;
        open.push([below[next], 0]);
        continue;
      }
      const down = below.length ? (at.get(below[0])[1] + at.get(below[below.length - 1])[1]) / 2 : row++;
      at.set(name, [open.length - 1, down]);
      deepest = Math.max(deepest, open.length - 1);
      open.pop();
    }
  }
  for (const name of children.keys()) if (!at.has(name)) at.set(name, [nodes.get(name).depth, row++]);  // of a circle
  return { at, width: deepest, height: Math.max(1, row - 1) };
}

function grouped(failures) {
  const groups = new Map();
  for (const failure of failures) groups.set(failure.kind, [...(groups.get(failure.kind) ?? []), failure]);
  return groups;
}

function button(words, action = null, label = null, cls = null) {
  const e = el("button", { type: "button", "aria-label": label, class: cls }, words);
  if (action) e.addEventListener("click", action);
  return e;
}

// -- the outline

function drawOutline(search, nodes, select) {
  const places = new Map();   // a node's element, where it is shown
  const failures = el("input", { type: "checkbox", id: "failures" }), tree = el("div", { id: "tree" });
  const open = button("Open all"), close = button("Close all"), way = button("The proof's way");
  open.id = "open"; close.id = "close"; way.id = "way";
  root.append(el("h2", {}, "Outline"), el("div", { class: "controls" }, open, close, way, el("label", {}, failures, " tactics that failed")), tree);

  function draw(key) {
    const node = nodes.get(key);
    const box = el("div", { "data-key": key });
    places.set(key, box);
    const head = el("button", { type: "button", class: "state", "aria-expanded": "false" }, el("span", { class: "mark" }), el("pre", {}, node.goals.join("\n\n") || "no goals"));
    const inside = el("div", { class: "inside" });
    inside.hidden = true;
    head.addEventListener("click", () => toggle(box, inside.hidden));
    box.append(head, inside);
    describe(box, node);
    return box;
  }

  function describe(box, node) {
    box.className = "node" + (node.on_proof ? " on-proof" : "") + (node.solved ? " solved" : "");
    const value = node.value === null ? "" : ", value " + node.value.toFixed(2);
    const below = node.edges.length + " worked, " + node.failures.length + " failed";
    box.firstChild.firstChild.textContent = (node.solved ? "✓ solved" : node.status) + " · " + below + value;
  }

  function fill(box) {       // what is below a state is drawn when it is first opened
    const inside = box.querySelector(":scope > .inside");
    if (!inside.dataset.filled) {
      inside.dataset.filled = "yes";
      inside.append(el("div"), el("div"));
      grow(inside, nodes.get(box.dataset.key));
    }
    return inside;
  }

  function grow(inside, node) {  // tactics are added to a state, and never go
    const [edges, fails] = inside.children;
    for (const edge of node.edges.slice(edges.children.length)) {
      const line = el("div", {}, el("code", {}, edge.tactic), el("span", { class: "p" }, percent(edge) + (edge.targets.length ? "" : " · closes it")));
      for (const target of edge.targets) {
        const key = keyOf(node.graph, target);
        line.append(places.has(key) ? button("→ state " + target + ", shown elsewhere", () => reveal(key), null, "known") : draw(key));
      }
      edges.append(line);
    }
    node.edges.forEach((edge, index) => { edges.children[index].className = "edge" + (edge.proves ? " proves" : ""); });
    for (const failure of node.failures.slice(fails.children.length)) {
      const line = el("div", { class: "fail" }, el("code", {}, failure.tactic), el("span", { class: "p" }, percent(failure) + " · " + failure.kind), el("span", { class: "said" }, failure.message));
      line.hidden = !failures.checked;
      fails.append(line);
    }
  }

  function take(newer, newNodes) {
    const before = nodes;
    search = newer;
    nodes = newNodes;
    for (const [key, box] of [...places]) {
      const node = nodes.get(key), was = before.get(key);
      if (node.edges.length === was.edges.length && node.failures.length === was.failures.length && node.status === was.status && node.solved === was.solved && node.value === was.value && node.on_proof === was.on_proof) continue;
      describe(box, node);
      const inside = box.querySelector(":scope > .inside");
      if (inside.dataset.filled) grow(inside, node);
    }
    addRoots();
  }

  function addRoots() {
    for (const node of search.nodes) if (node.id === 0 && !places.has(keyOf(node.graph, 0))) tree.append(draw(keyOf(node.graph, 0)));
  }

  function toggle(box, isOpen) {
    fill(box).hidden = !isOpen;
    box.firstChild.setAttribute("aria-expanded", String(isOpen));
  }

  function openWhere(wanted) {
    const waiting = [...tree.children];
    while (waiting.length) {
      const box = waiting.pop();
      if (!wanted(nodes.get(box.dataset.key))) { if (box.querySelector(":scope > .inside").dataset.filled) toggle(box, false); continue; }
      toggle(box, true);
      waiting.push(...box.querySelectorAll(":scope > .inside > div > .edge > .node"));
    }
  }

  function reveal(key) {
    const box = places.get(key);
    for (let up = box.parentElement; up; up = up.parentElement) if (up.classList.contains("node")) toggle(up, true);
    box.scrollIntoView({ block: "center" });
    box.classList.add("flash");
    setTimeout(() => box.classList.remove("flash"), 1200);
  }

  function showFromMap(key) {  // the way to a state may not have been drawn yet
    const way = [];
    for (let node = nodes.get(key); node && !places.has(keyOf(node.graph, node.id)) && way.length < nodes.size; node = nodes.get(keyOf(node.graph, node.parent))) way.unshift(node);
    const first = way[0] && nodes.get(keyOf(way[0].graph, way[0].parent));
    if (first) toggle(places.get(keyOf(first.graph, first.id)), true);
    for (const node of way) { const box = places.get(keyOf(node.graph, node.id)); if (box) toggle(box, true); }
    if (places.has(key)) { reveal(key); places.get(key).firstChild.focus({ preventScroll: true }); }
  }

  addRoots();
  open.addEventListener("click", () => openWhere(() => true));
  close.addEventListener("click", () => openWhere(() => false));
  way.addEventListener("click", () => openWhere(n => n.on_proof));
  failures.addEventListener("change", () => { for (const line of tree.querySelectorAll(".fail")) line.hidden = !failures.checked; });
  openWhere(search.status === "proved" ? n => n.on_proof : n => n.depth < 2);
  return { show: showFromMap, take };
}

// -- where the search comes from

/* Of a search that runs the service tells what is new; a tab that is not seen asks for nothing. */
function follow() {
  const words = document.getElementById("words");
  let page = null, mark = "", timer = 0, isAsking = false, isOver = false;

  async function ask() {
    if (isAsking || isOver) return;
    isAsking = true;
    clearTimeout(timer);
    let wait = 1000;
    try {
      const began = performance.now();
      const known = root.dataset.source + "&known=" + encodeURIComponent(mark);
      const answer = await fetch(known, { headers: { "X-Fragment": "1" } });
      isOver = !answer.headers.has("X-Live");
      if (!answer.ok) refuse(await answer.text());
      else if (answer.status === 204) {
        if (page === null) words.textContent = "It is running; its tree comes within seconds.";
      } else {
        const search = await answer.json();
        mark = answer.headers.get("X-Mark") ?? "";
        if (page === null) page = show(search); else page.take(search);
        isOver ||= search.status !== "running";
        words.textContent = said(search);
        wait += 4 * (performance.now() - began);  // most of the time a large tree is there to be looked at
      }
    } catch (error) {
      if (page === null && isOver) refuse(null);
      else words.textContent = "The service does not answer; this page goes on by itself when it does.";
    }
    isAsking = false;
    if (!isOver && !document.hidden) timer = setTimeout(ask, wait);
  }

  function refuse(text) {
    const part = text && new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
    if (page !== null) words.textContent = part?.textContent ?? "";
    else root.append(part ?? el("p", { role: "alert" }, "The search could not be read: it is damaged, or the service does not answer."));
  }

  const said = search => search.status + "; " + (search.prover || "no prover") + ", " + search.search + "; "
    + [[search.nodes.length, "state"], [search.expansions, "expansion"], [search.lean_calls, "Lean call"]].map(([count, name]) => count.toLocaleString("en") + " " + name + (count === 1 ? "" : "s")).join(", ")
    + ", " + search.failures.toLocaleString("en") + " failed, " + search.seconds.toFixed(1) + " s";

  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
  ask();
}

const beside = document.getElementById("data");
if (beside) show(JSON.parse(beside.textContent)); else follow();
