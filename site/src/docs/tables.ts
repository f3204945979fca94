/** Makes the tables of a page accessible. */

/**
 * A table is in a box that scrolls sideways on narrow screens, also with the keyboard. A header without text would be
 * announced as an empty header, so it is left out.
 */
export function accessibleTables(html: string): string {
  let count = 0
  return html
    .replace(/<thead>\s*<tr>(\s*<th[^>]*><\/th>)+\s*<\/tr>\s*<\/thead>/g, '')
    .replace(/<th([^>]*)><\/th>/g, '<td$1></td>')
    .replace(/<table>/g, () => {
      count += 1
      return `<div class="table-box" role="region" tabindex="0" aria-label="Table ${count}"><table>`
    })
    .replace(/<\/table>/g, '</table></div>')
}
