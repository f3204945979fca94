/** Renders the requested renditions with progress and reason. */
import { element } from '../shared/elements.js'
import { describeReason, describeRendition } from './messages.js'

/** `playing` is the height of the quality being played. */
export function showRenditions(plan, { renditions }, playing) {
  const list = element('renditions')
  const rows = plan.renditions.map((planned) => {
    const made = renditions.find(({ name }) => name === planned.name)
    const row = list.querySelector(`[data-name="${CSS.escape(planned.name)}"]`) ?? newRow(planned)
    fill(row, { ...planned, progress: 0, ...made }, made !== undefined && made.height === playing)
    return row
  })
  // Keeps existing rows, because a replaced progress bar would not animate.
  if (list.children.length !== rows.length) list.replaceChildren(...rows)
}

function newRow({ name }) {
  const row = element('rendition').content.firstElementChild.cloneNode(true)
  row.dataset.name = name
  row.querySelector('strong').textContent = name
  row.querySelector('progress').setAttribute('aria-label', `Progress of ${name}`)
  return row
}

function fill(row, rendition, isPlaying) {
  const { decision, status, progress, width, height } = rendition
  row.dataset.state = decision === 'encoded' ? (status ?? 'Queued') : decision
  row.querySelector('.size').textContent = width ? `${width} × ${height}` : ''
  row.querySelector('.playing').hidden = !isPlaying
  row.querySelector('.percent').textContent = describeRendition(rendition)
  row.querySelector('.reason').textContent = describeReason(rendition)
  const bar = row.querySelector('progress')
  bar.hidden = decision !== 'encoded'
  bar.value = progress
}
