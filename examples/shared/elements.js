/** DOM helpers shared by the pages. */

export const element = (id) => document.getElementById(id)

/** Scrolls to a section and moves the focus to its heading. */
export function bringIntoView(id, headingId) {
  element(headingId).focus({ preventScroll: true })
  element(id).scrollIntoView({ block: 'start' })
}

/** Sets the text only if it differs: screen readers announce every change of a live region. */
export function change(id, text) {
  if (element(id).textContent === text) return false
  element(id).textContent = text
  return true
}

export function line(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}
