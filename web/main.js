// Puts the page together from the data of the report.

const report = JSON.parse(document.getElementById('data').textContent);

// As written by the program: a node is [action, reach, visits, ended, edges], an edge [to, p, [o, p, ...]].
function unpack(controllers) {
  for (const c of controllers)
    c.nodes = c.nodes.map(([action, reach, visits, ended, edges]) => ({
      action, reach, visits, ended, edges: edges.map(([to, p, seen]) => ({ to, p, seen: pairs(seen) })),
    }));
}
// What is drawn of policies, to see whether news change it.
const picturesOf = data => JSON.stringify([data.groups.map(g => g.name), data.runs.map(r => [r.name, r.group]),
  data.controllers, data.alphas, data.episodes, data.scenes]);
let pictures = picturesOf(report), shownGroup = 0;
unpack(report.controllers);

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
  document.getElementById('group').value = shownGroup = index;
  showRuns(index);
  showPolicies(index);
}

function showRuns(index) {
  fill('progress', progressCharts(index));
  fill('runs', runsTable(report.runs.filter(r => r.group === index)));
}

function showPolicies(index) {
  const inGroup = x => report.runs[x.run].group === index;
  const controllers = report.controllers.filter(inGroup);
  const runName = x => `${report.runs[x.run].solver}: ${report.runs[x.run].name}`;
  let graph = null;
  themeListeners.length = 0;
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
}

function showResults() {
  document.title = report.title;
  document.getElementById('title').textContent = report.title;
  document.getElementById('subtitle').textContent =
    `${report.runs.length} run${report.runs.length === 1 ? '' : 's'} in ${report.source}, ${report.created.slice(0, 10)}`;
  const served = 'live' in document.documentElement.dataset;
  document.getElementById('footer').textContent = `Made by ${report.program} on ${report.created}. `
    + (served ? 'It is made anew as the runs go on.' : 'This file is complete: it loads nothing.');
  document.getElementById('group').replaceChildren(...report.groups.map((g, i) => el('option', { value: i, text: g.name })));
  document.getElementById('group-choice').hidden = report.groups.length < 2;
  fill('results', resultsTable(i => {
    showGroup(i);
    document.getElementById('progress').scrollIntoView();
  }), comparisonTable(report.comparisons || []));
}

function start() {
  showResults();
  const choice = document.getElementById('group');
  choice.addEventListener('change', () => showGroup(+choice.value));
  setUpTheme();
  showGroup(0);
  document.documentElement.dataset.ready = Math.round(performance.now());
}

// Draws `ids` anew with `draw` and puts the reader back: scroll, focus, what was unfolded. A section keeps its
// height until its charts have drawn themselves.
function keepPlace(ids, draw) {
  const sections = ids.map(id => document.getElementById(id)), y = scrollY;
  const inside = s => [...s.querySelectorAll('button, input, select, summary, [tabindex]')];
  const focus = sections.map(s => inside(s).indexOf(document.activeElement));
  const open = sections.map(s => [...s.querySelectorAll('details[open] > summary')].map(x => x.textContent));
  for (const s of sections) s.style.minHeight = s.offsetHeight + 'px';
  draw();
  sections.forEach((s, i) => {
    for (const x of s.querySelectorAll('details > summary'))
      if (open[i].includes(x.textContent)) x.parentElement.open = true;
    if (focus[i] >= 0) inside(s)[focus[i]]?.focus({ preventScroll: true });
  });
  scrollTo({ top: y, behavior: 'instant' });
  setTimeout(() => { for (const s of sections) s.style.minHeight = ''; }, 500);
}

// For pages that are served (live.js): new data of the same report.
window.penumbraUpdate = fresh => {
  const drawn = picturesOf(fresh), problem = report.groups[shownGroup].name;
  unpack(fresh.controllers);
  Object.assign(report, fresh);
  solverStyles.clear();
  shownGroup = Math.max(0, report.groups.findIndex(g => g.name === problem));
  keepPlace(['results', 'progress', 'runs'], () => {
    showResults();
    document.getElementById('group').value = shownGroup;
    showRuns(shownGroup);
  });
  if (drawn !== pictures) keepPlace(['controller', 'alphas', 'episodes'], () => showPolicies(shownGroup));
  pictures = drawn;
};
start();
