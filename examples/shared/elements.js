/** What every page does with its elements. */

export const element = (id) => document.getElementById(id)

/** What follows from a click may be below the fold; a reader's focus goes along. */
export function bringIntoView(id, headingId) {
  element(headingId).focus({ preventScroll: true })
  element(id).scrollIntoView({ block: 'start' })
}

/** A live region that is set to what it says already would be read out again. */
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
