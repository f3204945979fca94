/** A timeline as the service tells it, in the elements `timeline-block`, `timeline` and `awaited`. */
import { change, element } from './elements.js'

/** Null where there is none. */
export function showTimeline(timeline) {
  element('timeline-block').hidden = !timeline
  if (!timeline) return
  element('timeline').replaceChildren(...timeline.happened.map(happening))
  change('awaited', timeline.awaited ? inTime(timeline.awaited) : '')
}

const inTime = ({ detail, until }) =>
  until ? `Until ${moment(new Date(until))}: ${detail}` : detail

function happening({ at, detail }) {
  const item = document.createElement('li')
  const time = document.createElement('time')
  time.dateTime = at
  time.textContent = new Date(at).toLocaleTimeString()
  item.append(time, ` ${detail}`)
  return item
}

const moment = (date) =>
  date.toLocaleString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  })
