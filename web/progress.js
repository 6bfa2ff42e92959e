// The charts of one problem, all solvers on the same axes.

const hiddenLines = new Map();  // of each problem: they stay hidden when it is drawn anew

function progressCharts(group) {
  const runs = report.runs.filter(r => r.group === group && r.progress.seconds.length);
  if (!runs.length) return el('p', { class: 'empty', text: 'Nothing of this problem was solved beforehand, so there is no progress to show.' });
  const levels = report.groups[group].published.filter(p => isNumber(p.mean)).map(p => ({ ...p, y: p.mean }));
  const several = runs.length > new Set(runs.map(r => r.solver)).size;
  // Only what is proven or simulated is called a bound.
  const all = (solver, test) => runs.filter(r => r.solver === solver).every(test);
  const lowerName = solver => all(solver, r => r.progress.lower.some(isNumber)) ? 'lower bound' : 'simulated';
  const upperName = solver => all(solver, r => r.upper_proven) ? 'upper bound'
    : all(solver, r => r.upper_kind === 'sampled') ? 'upper 95 %' : 'upper estimate';
  const bounds = x => [
    ...solverLines(runs, x, lowerValue).map(l => ({ ...l, name: `${l.solver} ${lowerName(l.solver)}` })),
    ...solverLines(runs, x, column('upper'), { dashed: true, upper: true })
      .map(l => ({ ...l, name: `${l.solver} ${upperName(l.solver)}` })),
  ];
  const byTime = bounds('seconds'), byBackups = bounds('backups');
  const range = rangeOf(byTime, levels);
  // What a solver believes of b0 beside what its policy is worth there.
  const both = runs.filter(r => r.progress.simulated.some(isNumber) && r.progress.estimate.some(isNumber));
  const claimed = [
    ...solverLines(both, 'seconds', column('estimate'), { halo: true }).map(l => ({ ...l, name: `${l.solver} claimed` })),
    ...solverLines(both, 'seconds', simulatedValue).map(l => ({ ...l, name: `${l.solver} simulated` })),
  ];
  const seconds = { xName: 'seconds', xUnit: 's', log: true };
  const backups = { xName: 'backups', xUnit: 'backups', log: true };
  const charts = [
    new Chart({ title: 'Bounds against time', lines: byTime, levels, range, ...seconds }),
    new Chart({ title: 'Bounds against backups', lines: byBackups, levels, range, ...backups }),
    new Chart({ title: 'Score against time', ...seconds, levels: [],
      lines: solverLines(runs, 'seconds', lowerValue) }),
    new Chart({ title: 'Claimed against simulated', ...seconds, levels: [], lines: claimed }),
    new Chart({ title: 'Size against time (nodes or vectors)', whole: true, ...seconds,
      lines: solverLines(runs, 'seconds', column('nodes')) }),
    new Chart({ title: 'Training error against backups (mean squared)', ...backups,
      lines: solverLines(runs, 'backups', column('training_error')) }),
    new Chart({ title: 'Memory against time (MB)', whole: true, ...seconds,
      lines: solverLines(runs, 'seconds', (p, i) => p.memory[i] / 1e6) }),
  ].filter(chart => chart.o.lines.length);
  const kinds = [...new Set(levels.map(l => l.kind))];
  const problem = report.groups[group].name;
  if (!hiddenLines.has(problem)) hiddenLines.set(problem, new Set());
  const hidden = hiddenLines.get(problem);
  for (const chart of charts) chart.hidden = hidden;
  const box = (key, label, mark) => el('label', { class: 'choice' }, [
    el('input', { type: 'checkbox', checked: !hidden.has(key), onchange: e => {
      if (e.target.checked) hidden.delete(key); else hidden.add(key);
      for (const chart of charts) chart.setHidden(hidden);
    } }), mark, label]);
  const solvers = [...new Set(runs.map(r => r.solver))].sort();
  return el('div', {}, [
    el('fieldset', { class: 'legend' }, [
      el('legend', { text: 'Shown' }),
      solvers.map(s => box(s, s, el('i', { class: 'swatch', style: `background:${solverColour(s)}` }))),
      kinds.map(k => box('level:' + k, `published, ${k} planners`, el('i', { class: 'swatch dash ' + k }))),
      el('span', { class: 'note', text: 'Solid: lower bound, proven or simulated. Dashed: upper bound, or an estimate of one (see Runs). Wide and pale: what is claimed. '
        + (several ? 'Bands: lowest to highest of the runs.' : 'Bands: 95 % interval of the simulation.') }),
    ]),
    el('div', { class: 'charts' }, charts.map(c => c.root)),
    timePerPart(runs),
  ]);
}
