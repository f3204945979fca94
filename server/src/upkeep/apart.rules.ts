/**
 * Whether buckets are two: of a backup that lies where the originals do, and of cells that share
 * one, whoever clears up the one clears up the other.
 */

type Storage = { readonly endpoint: string; readonly publicEndpoint: string }

export type Place = Storage & { readonly uploadsBucket: string; readonly mediaBucket: string }

/**
 * The bucket that both have, or undefined. What has names for one storage that are in neither place
 * cannot be seen from here.
 */
export function sharedBucket(live: Place, backup: Place): string | undefined {
  const taken = [live.uploadsBucket, live.mediaBucket].flatMap((bucket) => namesOf(live, bucket))
  return [backup.uploadsBucket, backup.mediaBucket].find((bucket) =>
    namesOf(backup, bucket).some((name) => taken.includes(name)),
  )
}

/** What a bucket may be called by: two that have one of them in common are one. */
export const namesOf = ({ endpoint, publicEndpoint }: Storage, bucket: string): string[] =>
  [endpoint, publicEndpoint].map((one) => `${originOf(one)}/${bucket}`)

/** However it is written: with the usual port or without, in capitals, with a slash at its end. */
function originOf(endpoint: string): string {
  const { protocol, host, pathname } = new URL(endpoint)
  return `${protocol}//${host.replace(/[.]$/, '')}${pathname.replace(/[/]+$/, '')}`
}
