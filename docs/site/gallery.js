// Added to the page of `penumbra report` by gallery.sh: one episode as a column of frames, drawn by the report's
// own scenes. A frame is what is known before an action: the drawing with the belief, the action, and where the
// controller goes on by what it then sees.
{
  const wanted = new URLSearchParams(location.search), frame = { width: 860, height: +wanted.get('height') };
  const episode = report.episodes[+wanted.get('episode') || 0], scene = report.scenes[episode.scene];
  const controller = report.controllers.find(c => c.run === episode.run);
  const last = Math.min(episode.steps.length, (+wanted.get('frames') || 40) - 1);

  // The likeliest edges first; what leads to the same node is one line.
  function plan(t) {
    const step = episode.steps[t];
    if (!step) return el('p', { text: episode.ended ? 'The episode has ended.' : '' });
    const did = el('p', {}, ['Will do ', el('b', { text: step.action })]);
    if (!controller || !isNumber(step.node)) return did;
    const name = v => controller.actions[controller.nodes[v].action];
    const byAction = new Map();
    for (const e of controller.nodes[step.node].edges) {
      const row = byAction.get(name(e.to)) || { p: 0, seen: [] };
      byAction.set(name(e.to), { p: row.p + e.p, seen: [...row.seen, ...e.seen.map(([o]) => controller.observations[o])] });
    }
    const few = controller.observations.length <= 4;  // clusters have no names worth showing
    const rows = [...byAction].filter(([, r]) => r.p > 0.005).sort((a, b) => b[1].p - a[1].p).slice(0, 4);
    return el('div', {}, [did, el('p', { class: 'then', text: 'then, by what it sees' }),
      el('ul', {}, rows.map(([action, r]) => el('li', {}, [
        el('span', { class: 'bar' }, el('i', { style: `width:${100 * r.p}%` })),
        `${few && rows.length > 1 ? `${[...new Set(r.seen)].join(', ')}: ` : ''}${action}, ${percent(r.p)}`])))]);
  }

  function words(t) {
    const before = t > 0 ? episode.steps[t - 1] : null;
    let total = 0;
    for (let i = t - 1; i >= 0; --i) total = episode.steps[i].reward + episode.discount * total;
    return el('aside', {}, [
      el('p', { class: 'count', text: `step ${t} of ${episode.steps.length}` }),
      el('p', {}, before ? ['Did ', el('b', { text: before.action }),
        ...(before.seen.length < 15 ? [', saw ', el('b', { text: before.seen })] : [])] : 'It knows where things may be.'),
      plan(t), el('p', { class: 'return', text: `return so far ${number(total)}` })]);
  }

  const style = el('style', { text: `
    body { margin: 0; background: #fff; color: #1d2230; }
    .frame { width: ${frame.width}px; height: ${frame.height}px; box-sizing: border-box; padding: 12px 16px; display: flex;
      gap: 18px; align-items: center; overflow: hidden; }
    .frame > div { flex: 0 0 570px; display: flex; justify-content: center; }
    .frame svg { max-width: 570px; max-height: ${frame.height - 24}px; width: 570px; height: auto; }
    aside { font-size: 17px; line-height: 1.35; } aside p { margin: 0 0 9px; }
    aside ul { list-style: none; margin: 0 0 9px; padding: 0; } aside li { margin: 0 0 5px; font-size: 15.5px; }
    .count, .then, .return { color: #5a6275; font-size: 14.5px; }
    .frame .bar { display: block; width: 230px; height: 7px; margin: 0; padding: 0; background: #e1e3e8; }
    .frame .bar i { display: block; height: 7px; background: #3f6fd8; }` });
  const frames = Array.from({ length: last + 1 }, (_, t) => el('div', { class: 'frame' }, [
    el('div', { class: 'stage' }, scenes[scene.kind](scene, episode, t, true)), words(t)]));
  document.documentElement.dataset.theme = 'light';
  document.body.replaceChildren(style, ...frames);
  document.title = `${frames.length} frames`;
}
