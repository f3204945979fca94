/** API URL, organization and token, shared by the pages of this tab in session storage. */

const ACCESS = 'reelkeep-access'

export const loadAccess = () => parse(sessionStorage.getItem(ACCESS))
export const saveAccess = ({ apiUrl, organization, token }) =>
  sessionStorage.setItem(ACCESS, JSON.stringify({ apiUrl, organization, token }))

/** Reads the API URL from settings.json, which the server of these pages can provide. */
export async function defaultApiUrl() {
  const response = await fetch('settings.json').catch(() => undefined)
  return response?.ok ? (await response.json()).api_url : 'http://127.0.0.1:8080'
}

/** Parses stored data, which may be missing or invalid. */
export function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
