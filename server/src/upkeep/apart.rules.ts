/** Whether a backup is one: copies that lie where the originals do go with them, and whoever clears them up clears up the originals. */

export type Place = {
  readonly endpoint: string
  readonly publicEndpoint: string
  readonly uploadsBucket: string
  readonly mediaBucket: string
}

/** The bucket that both have, or undefined. What has two names for one storage cannot be seen from here. */
export function sharedBucket(live: Place, backup: Place): string | undefined {
  const endpoints = [live.endpoint, live.publicEndpoint].map(originOf)
  if (!endpoints.includes(originOf(backup.endpoint))) return undefined
  return [backup.uploadsBucket, backup.mediaBucket].find((bucket) =>
    [live.uploadsBucket, live.mediaBucket].includes(bucket),
  )
}

/** However it is written: with the usual port or without, in capitals, with a slash at its end. */
function originOf(endpoint: string): string {
  const { protocol, host, pathname } = new URL(endpoint)
  return `${protocol}//${host.replace(/[.]$/, '')}${pathname.replace(/[/]+$/, '')}`
}
