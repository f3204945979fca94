/** Where a page leads after the sign-in. */

/** Any origin: only the path of the result is used. */
const ORIGIN = 'https://dashboard.invalid'

/**
 * Returns the path if it is one of this site, otherwise `/`. An attacker can choose `return_to` in a link to the
 * sign-in page, so an address of another site, a script and a request to the API are refused.
 */
export function safeReturnTo(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])/.test(text)) return '/'
  const url = URL.parse(text, ORIGIN)
  if (!url || url.origin !== ORIGIN || isExcluded(url.pathname)) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

const isExcluded = (path: string) => /^\/(\/|\\|api(\/|$)|sign-in\/?$)/i.test(path)
