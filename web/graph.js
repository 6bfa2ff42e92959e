// The controller as a picture: a canvas that draws only what is visible, and beside it the chosen
// node with its edges as buttons.

// Actions of one stem ("check1", "check2") share a hue.
function actionColours(actions) {
  const stem = name => name.replace(/[\d.,()\s+-]+$/, '') || name.replace(/[\d]+/g, '#');
  const stems = [...new Set(actions.map(stem))], members = stems.map(s => actions.filter(a => stem(a) === s));
  const alone = stems.length < 3 && actions.length > stems.length;  // all alike: a hue each
  return actions.map((name, i) => {
    const s = stems.indexOf(stem(name)), k = members[s].indexOf(name), m = members[s].length;
    const hue = alone ? 360 * i / actions.length : (28 + s * 137.5) % 360;
    return { hue: (hue + (alone || m < 2 ? 0 : 34 * (k / (m - 1) - 0.5))) % 360 };
  });
}

class GraphView {
  constructor(controller) {
    this.c = controller;
    this.colours = actionColours(controller.actions);
    this.paths = likelyPaths(controller);
    this.extra = new Set();  // unfolded by hand
    this.incoming = controller.nodes.map(() => []);
    controller.nodes.forEach((node, v) => node.edges.forEach(e => this.incoming[e.to].push({ from: v, ...e })));
    const reach = controller.nodes.map(n => n.reach).sort((a, b) => b - a);
    this.reach = reach;
    this.limit = clamp(reach.filter(r => r >= 0.03).length, Math.min(12, reach.length), 60);
    this.build();
    this.fold();
    this.select(controller.start, false);
    themeListeners.push(() => { if (this.width) this.paintNow(); });
  }

  build() {
    const c = this.c, visited = c.nodes.filter(n => n.reach > 0).length;
    this.slider = el('input', { type: 'range', min: 0, max: 100, value: 100 * Math.sqrt(this.limit / c.nodes.length),
      'aria-label': 'How many nodes are shown', oninput: () => {
        this.limit = clamp(Math.round((this.slider.value / 100) ** 2 * c.nodes.length), 1, c.nodes.length);
        this.fold();
      } });
    this.count = el('output', {});
    this.canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-describedby': 'graph-keys',
      'aria-label': 'Graph of the controller' });
    const zoom = (text, label, action) => el('button', { type: 'button', text, 'aria-label': label, title: label, onclick: action });
    this.panel = el('div', { class: 'panel', 'aria-live': 'polite' });
    this.root = el('div', { class: 'graph' }, [
      el('div', { class: 'bar' }, [
        el('label', {}, ['likely ', this.slider, ' all']), this.count,
        el('span', { class: 'grow' }),
        zoom('start', 'Go to the start', () => this.select(c.start, true)),
        zoom('−', 'Smaller', () => this.zoomBy(1 / 1.3)), zoom('+', 'Larger', () => this.zoomBy(1.3)),
        zoom('fit', 'Fit: see all of it', () => this.fit()),
      ]),
      el('div', { class: 'split' }, [el('div', { class: 'canvas-box' }, this.canvas), this.panel]),
      el('p', { class: 'note', id: 'graph-keys', text: 'Keys: → the most likely next node, ← back, ↑ ↓ the others of the layer, '
        + 'Home the start, + − size. Click a node to follow it, drag to move, wheel with Ctrl to zoom. A dotted stub '
        + 'is an edge to a folded node.' }),
      el('p', { class: 'note', text: `${whole(c.nodes.length)} nodes${c.nodes_before > c.nodes.length
        ? ` (${whole(c.nodes_before)} before equal ones were merged)` : ''}; ${whole(visited)} were visited in `
        + `${whole(c.episodes)} simulated episodes, from which all probabilities are taken.` }),
      el('ul', { class: 'actions', 'aria-label': 'Colours of actions' }, [...new Set(c.nodes.filter(n => n.reach > 0).map(n => n.action))]
        .sort((a, b) => a - b).map(a => el('li', {}, [el('i', { class: 'swatch', style: `background:hsl(${this.colours[a].hue} 60% 55%)` }), c.actions[a]]))),
    ]);
    this.listen();
    new ResizeObserver(() => { this.resize(); }).observe(this.canvas.parentNode);
  }

  // Which nodes are shown: the most visited ones, and those that were asked for.
  fold() {
    const threshold = this.reach[Math.min(this.limit, this.reach.length) - 1], n = this.c.nodes.length;
    this.shown = new Uint8Array(n);
    let left = this.limit;
    this.c.nodes.forEach((node, v) => { if (node.reach > threshold) { this.shown[v] = 1; --left; } });
    this.c.nodes.forEach((node, v) => { if (node.reach === threshold && left > 0 && !this.shown[v]) { this.shown[v] = 1; --left; } });
    for (const v of this.extra) this.shown[v] = 1;
    this.shown[this.c.start] = 1;
    const place = placeNodes(this.c, this.paths, this.shown);
    Object.assign(this, place);
    this.layerOf = new Map();
    this.layers.forEach(layer => layer.forEach((v, i) => this.layerOf.set(v, { layer, i })));
    this.count.textContent = `${whole(sum([...this.shown]))} of ${whole(n)} nodes`;
    this.edges = [];
    for (let v = 0; v < n; ++v)
      if (this.shown[v]) for (const e of this.c.nodes[v].edges) if (this.shown[e.to] && e.p > 0) this.edges.push({ from: v, ...e });
    this.edges.sort((a, b) => a.p - b.p);
    this.paint();
  }

  select(v, move, keep) {
    if (!this.shown[v]) {
      this.extra.add(v);
      this.fold();
    }
    if (!keep) this.trail = v === this.c.start ? [v] : [...(this.trail || []), v].slice(-200);
    this.chosen = v;
    this.path = new Set();
    for (let u = v; u >= 0; u = this.paths.parent[u]) this.path.add(u);
    this.describe();
    if (move) this.centre(v);
    this.paint();
  }

  seenText(e, most = 3) {
    const names = e.seen.slice(0, most).map(([o]) => this.c.observations[o]);
    if (e.seen.length > most) names.push(`${e.seen.length - most} more`);
    return e.seen.length === this.c.observations.length && e.seen.length > 1 ? 'any' : names.join(', ');
  }

  describe() {
    const c = this.c, v = this.chosen, node = c.nodes[v];
    const go = (u, text, p) => el('li', {}, el('button', { type: 'button', onclick: () => this.select(u, true) }, [
      el('i', { class: 'swatch', style: `background:hsl(${this.colours[c.nodes[u].action].hue} 60% 55%)` }),
      el('span', { class: 'grow', text }), el('b', { text: p === null ? '' : p > 0 ? percent(p) : 'never' })]));
    const out = [...node.edges].sort((a, b) => b.p - a.p);
    const into = this.incoming[v].filter(e => e.p > 0 && e.from !== v)
      .sort((a, b) => b.p * c.nodes[b.from].reach - a.p * c.nodes[a.from].reach).slice(0, 8);
    const likely = out.filter(e => e.p >= 0.02), rare = out.filter(e => e.p < 0.02);
    const item = e => go(e.to, `${this.seenText(e)} → ${e.to === v ? 'stays' : `${c.actions[c.nodes[e.to].action]} (${e.to})`}`, e.p);
    this.panel.replaceChildren(
      el('h3', {}, [el('i', { class: 'swatch', style: `background:hsl(${this.colours[node.action].hue} 60% 55%)` }),
        c.actions[node.action], el('span', { class: 'faint', text: ` node ${v}${v === c.start ? ', the start' : ''}` })]),
      el('p', { class: 'note', text: `Reached in ${percent(node.reach)} of episodes, acts ${number(node.visits)} times in each on average.`
        + (node.ended > 0 ? ` The episode ends here in ${percent(node.ended)} of visits.` : '') }),
      out.length ? el('h4', { text: 'On seeing' }) : '', el('ul', {}, likely.map(item)),
      rare.length ? el('details', { open: !likely.length }, [el('summary', { text: `${rare.length} unlikely` }), el('ul', {}, rare.map(item))]) : '',
      into.length ? el('h4', { text: 'Comes from' }) : '',
      el('ul', {}, into.map(e => go(e.from, `${c.actions[c.nodes[e.from].action]} (${e.from}) on ${this.seenText(e, 2)}`, e.p))));
    this.canvas.setAttribute('aria-label', `Graph of the controller. Node ${v}: ${c.actions[node.action]}, reached in ${percent(node.reach)} of episodes.`);
  }
}
