/** Moves the times of a stored segment, without changing its frames or its size. */
import { boxesIn } from '../probe/container/fragments.ts'

/** Returns a copy of an unencrypted segment whose fragments are decoded this many ticks earlier. */
export function shiftSegment(segment: Buffer, ticks: number): Buffer {
  const shifted = Buffer.from(segment)
  let count = 0
  for (const moof of boxesIn(shifted, 0, shifted.length).filter(({ name }) => name === 'moof')) {
    for (const traf of boxesIn(shifted, moof.start, moof.end).filter(({ name }) => name === 'traf')) {
      for (const { start } of boxesIn(shifted, traf.start, traf.end).filter(({ name }) => name === 'tfdt')) {
        writeTime(shifted, start, ticks)
        count++
      }
    }
  }
  if (count === 0) throw new Error('The segment has no fragments')
  return shifted
}

/** The decode time follows version and flags. */
function writeTime(bytes: Buffer, start: number, ticks: number): void {
  const isLong = bytes[start] === 1
  const time = isLong ? Number(bytes.readBigUInt64BE(start + 4)) : bytes.readUInt32BE(start + 4)
  if (time < ticks) throw new Error(`The segment starts at tick ${time}, before tick ${ticks}`)
  if (isLong) bytes.writeBigUInt64BE(BigInt(time - ticks), start + 4)
  else bytes.writeUInt32BE(time - ticks, start + 4)
}
