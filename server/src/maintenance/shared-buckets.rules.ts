/**
 * Detects shared buckets: if a backup or another cell used the same bucket as the service, cleaning up one would
 * delete the data of the other.
 */

type Storage = { readonly endpoint: string; readonly publicEndpoint: string }

export type BucketNames = Storage & {
  readonly uploadsBucket: string
  readonly mediaBucket: string
}

/**
 * Returns the bucket that both configurations use, or undefined. Aliases of a storage service that are in neither
 * cannot be detected.
 */
export function sharedBucket(live: BucketNames, backup: BucketNames): string | undefined {
  const used = [live.uploadsBucket, live.mediaBucket].flatMap((bucket) => namesOf(live, bucket))
  return [backup.uploadsBucket, backup.mediaBucket].find((bucket) =>
    namesOf(backup, bucket).some((name) => used.includes(name)),
  )
}

/** Returns the names of a bucket, one per endpoint. Two buckets with a common name are the same bucket. */
export const namesOf = ({ endpoint, publicEndpoint }: Storage, bucket: string): string[] =>
  [endpoint, publicEndpoint].map((url) => `${originOf(url)}/${bucket}`)

/** Normalizes the default port, upper case and trailing slashes of an endpoint. */
function originOf(endpoint: string): string {
  const { protocol, host, pathname } = new URL(endpoint)
  return `${protocol}//${host.replace(/[.]$/, '')}${pathname.replace(/[/]+$/, '')}`
}
