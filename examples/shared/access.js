/** Which service, whose organization, by which token: known to every page of this tab, and forgotten with it. */

const ACCESS = 'reelkeep-access'

export const recallAccess = () => parse(sessionStorage.getItem(ACCESS))
export const rememberAccess = ({ apiUrl, organization, token }) =>
  sessionStorage.setItem(ACCESS, JSON.stringify({ apiUrl, organization, token }))

/** Whoever serves these pages may say where the service is. */
export async function defaultApiUrl() {
  const answer = await fetch('settings.json').catch(() => undefined)
  return answer?.ok ? (await answer.json()).api_url : 'http://127.0.0.1:8080'
}

/** What is in a browser's store may be anything, or nothing. */
export function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
