// Puts the page together from the data of the report.

const report = JSON.parse(document.getElementById('data').textContent);

// As written by the program: a node is [action, reach, visits, ended, edges], an edge [to, p, [o, p, ...]].
for (const c of report.controllers)
  c.nodes = c.nodes.map(([action, reach, visits, ended, edges]) => ({
    action, reach, visits, ended, edges: edges.map(([to, p, seen]) => ({ to, p, seen: pairs(seen) })),
  }));

const fill = (id, ...content) => document.querySelector(`#${id} > div`).replaceChildren(...content.filter(Boolean));

// A choice of runs above what `build` makes of the chosen one.
function chooser(label, items, nameOf, build) {
  if (!items.length) return null;
  const place = el('div', {});
  const open = i => place.replaceChildren(build(items[i], i));
  const choice = el('select', { onchange: () => open(+choice.value) }, items.map((x, i) => el('option', { value: i, text: nameOf(x) })));
  open(0);
  return { root: el('div', {}, [items.length > 1 ? el('label', { class: 'choose' }, [label, ' ', choice]) : null, place]),
    choose: i => { choice.value = i; open(i); } };
}

function showGroup(index) {
  document.getElementById('group').value = index;
  const runs = report.runs.filter(r => r.group === index);
  const inGroup = x => report.runs[x.run].group === index;
  const controllers = report.controllers.filter(inGroup);
  const runName = x => `${report.runs[x.run].solver}: ${report.runs[x.run].name}`;
  let graph = null;
  themeListeners.length = 0;
  fill('progress', progressCharts(index));
  const graphs = chooser('Controller of', controllers, runName, c => (graph = new GraphView(c)).root);
  fill('controller', graphs ? graphs.root : el('p', { class: 'empty', text: 'No policy of this problem is a controller that can be shown.' }));
  const alphas = chooser('Alpha functions of', (report.alphas || []).filter(inGroup), runName, a => new AlphaView(a).root);
  document.getElementById('alphas').hidden = document.getElementById('alphas-link').hidden = !alphas;
  fill('alphas', alphas && alphas.root);
  const played = [...new Set(report.episodes.filter(inGroup).map(e => e.run))];
  const players = chooser('Episodes of', played.map(run => ({ run })), runName, ({ run }) => {
    const show = (node, move) => {
      if (!graph || graph.c.run !== run) {
        if (!move) return;
        graphs.choose(controllers.findIndex(c => c.run === run));
      }
      graph.playing = node;
      if (move) {
        graph.select(node, true);
        document.getElementById('controller').scrollIntoView();
        graph.canvas.focus();
      }
      graph.paint();
    };
    return new Player(report.episodes.filter(e => e.run === run), controllers.some(c => c.run === run) ? show : null).root;
  });
  fill('episodes', players ? players.root : el('p', { class: 'empty', text: 'No episodes were recorded.' }));
  fill('runs', runsTable(runs));
}

function start() {
  document.title = report.title;
  document.getElementById('title').textContent = report.title;
  document.getElementById('subtitle').textContent =
    `${report.runs.length} run${report.runs.length === 1 ? '' : 's'} in ${report.source}, ${report.created.slice(0, 10)}`;
  document.getElementById('footer').textContent = `Made by ${report.program} on ${report.created}. This file is complete: it loads nothing.`;
  const choice = document.getElementById('group');
  choice.append(...report.groups.map((g, i) => el('option', { value: i, text: g.name })));
  choice.addEventListener('change', () => showGroup(+choice.value));
  document.getElementById('group-choice').hidden = report.groups.length < 2;
  fill('results', resultsTable(i => {
    showGroup(i);
    document.getElementById('progress').scrollIntoView();
  }), comparisonTable(report.comparisons || []));
  setUpTheme();
  showGroup(0);
  document.documentElement.dataset.ready = Math.round(performance.now());
}
start();
