import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares a given text with a secret in constant time. */
export function isSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
