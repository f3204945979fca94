/**
 * The one-time token of an invitation or recovery link. It is in the fragment of the URL, which browsers do not send to
 * servers. The page removes it from the address bar at once, so that it is not in the history or a screenshot, and
 * keeps it for this tab until it is used.
 */
export type LinkPage = 'invitation' | 'recovery'

const key = (page: LinkPage) => `reelkeep.${page}`
const pageOf = (path: string) => /^\/(invitation|recovery)\/?$/.exec(path)?.[1] as LinkPage | undefined

/** Call before the router reads the address. */
export function takeLinkToken(): void {
  const page = pageOf(location.pathname)
  if (page === undefined || location.hash.length < 2) return
  sessionStorage.setItem(key(page), location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
}

export const linkToken = (page: LinkPage) => sessionStorage.getItem(key(page)) ?? undefined
export const forgetLinkToken = (page: LinkPage) => sessionStorage.removeItem(key(page))

/** A second link that is opened in the same tab changes only the fragment, which does not load the page again. */
export function watchLinkToken(): void {
  addEventListener('hashchange', () => {
    if (pageOf(location.pathname) === undefined || location.hash.length < 2) return
    takeLinkToken()
    location.reload()
  })
}
