/** Shows errors in the elements whose ids start with `failure`. */
import { bringIntoView, element, line } from './elements.js'

/** `fields` are listed, each as `{ field, message }`; `invalidFields` are the inputs to mark. */
export function showFailure({ heading, detail, fields = [], invalidFields = [], advice, command, reference }) {
  element('failure-heading').textContent = heading
  element('failure-detail').textContent = detail
  element('failure-fields').replaceChildren(...fields.map(errorItem))
  element('failure-advice').textContent = advice ?? ''
  element('failure-command').textContent = command ?? ''
  element('failure-reference').textContent = reference ?? ''
  element('failure').hidden = false
  for (const field of invalidFields) markInvalid(field)
  bringIntoView('failure', 'failure-heading')
}

export function hideFailure() {
  element('failure').hidden = true
  for (const input of document.querySelectorAll('[aria-invalid]')) unmarkInvalid(input.name)
}

/**
 * Removes the mark of an invalid field. Called for all fields before a new attempt, and for one field as soon
 * as it is edited.
 */
export function unmarkInvalid(field) {
  for (const input of inputsOf(field)) input.removeAttribute('aria-invalid')
}

function markInvalid(field) {
  for (const input of inputsOf(field)) input.setAttribute('aria-invalid', 'true')
}

const inputsOf = (field) => document.getElementsByName(field)

/** A list item that links to the field. */
function errorItem({ field, message }) {
  const [input] = inputsOf(field)
  if (!input) return line(message)
  const link = document.createElement('a')
  link.href = `#${input.form.id}`
  link.textContent = message
  link.addEventListener('click', (event) => {
    event.preventDefault()
    input.focus()
  })
  const item = line('')
  item.append(link)
  return item
}
