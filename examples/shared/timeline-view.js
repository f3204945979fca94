/** Shows the timeline of an asset in the elements `timeline-block`, `timeline` and `pending`. */
import { change, element } from './elements.js'

export function showTimeline(timeline) {
  element('timeline-block').hidden = !timeline
  if (!timeline) return
  element('timeline').replaceChildren(...timeline.entries.map(timelineItem))
  change('pending', timeline.pending ? describePending(timeline.pending) : '')
}

const describePending = ({ detail, until }) => (until ? `${detail} Deadline: ${formatDate(new Date(until))}.` : detail)

function timelineItem({ at, detail }) {
  const item = document.createElement('li')
  const time = document.createElement('time')
  time.dateTime = at
  time.textContent = new Date(at).toLocaleTimeString()
  item.append(time, ` ${detail}`)
  return item
}

const formatDate = (date) =>
  date.toLocaleString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  })
