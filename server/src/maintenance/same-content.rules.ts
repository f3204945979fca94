/** Whether two objects have the same content, without reading them. */

export type Content = { readonly bytes: number; readonly etag: string }

/**
 * Objects stored in one request have the MD5 of their content as ETag. Multipart objects have a hyphen in it, and
 * encrypted ones another value.
 */
const md5Pattern = /^[0-9a-f]{32}$/i

/** Whether the sizes are equal, and the hashes too if both objects have one. */
export const isSameContent = (one: Content, other: Content | undefined): boolean =>
  one.bytes === other?.bytes && (one.etag === other.etag || !md5Pattern.test(one.etag) || !md5Pattern.test(other.etag))
