/** Storage writes ETags in quotes, and not everywhere. */
export const unquoted = (etag: string) => etag.replaceAll('"', '')
