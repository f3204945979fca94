/**
 * Reads a Matroska variable-length integer: the leading zeros of its first byte are its length. An
 * unknown value (all ones) is read as 0.
 */
export function readVint(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  if (at + length > bytes.length) return undefined
  let value = first & (0xff >> length)
  let isUnknown = value === 0xff >> length
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index] ?? 0
    isUnknown &&= byte === 0xff
    value = value * 256 + byte
  }
  return { value: isUnknown ? 0 : value, next: at + length }
}
