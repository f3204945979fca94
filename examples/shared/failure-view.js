/** Failures as these pages show them, in the elements whose ids begin with `failure`. */
import { bringIntoView, element, line } from './elements.js'

/** `fields` are listed, each as `{ field, sentence }`; `atFault` names those of the form to mark. */
export function showFailure({
  heading,
  detail,
  fields = [],
  atFault = [],
  advice,
  command,
  reference,
}) {
  element('failure-heading').textContent = heading
  element('failure-detail').textContent = detail
  element('failure-fields').replaceChildren(...fields.map(faultLine))
  element('failure-advice').textContent = advice ?? ''
  element('failure-command').textContent = command ?? ''
  element('failure-reference').textContent = reference ?? ''
  element('failure').hidden = false
  for (const field of atFault) markFault(field)
  bringIntoView('failure', 'failure-heading')
}

export function hideFailure() {
  element('failure').hidden = true
  for (const input of document.querySelectorAll('[aria-invalid]')) unmarkFault(input.name)
}

/** Also as soon as the person does something about it. */
export function unmarkFault(field) {
  for (const input of inputsOf(field)) input.removeAttribute('aria-invalid')
}

function markFault(field) {
  for (const input of inputsOf(field)) input.setAttribute('aria-invalid', 'true')
}

const inputsOf = (field) => document.getElementsByName(field)

/** Leads to the field. */
function faultLine({ field, sentence }) {
  const [input] = inputsOf(field)
  if (!input) return line(sentence)
  const link = document.createElement('a')
  link.href = `#${input.form.id}`
  link.textContent = sentence
  link.addEventListener('click', (event) => {
    event.preventDefault()
    input.focus()
  })
  const item = line('')
  item.append(link)
  return item
}
