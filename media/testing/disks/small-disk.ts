/** A file system of a few kilobytes, to run out of space. Mounting one needs root. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const canMount = process.getuid?.() === 0

/** How often the size is set again because the files have grown in the meantime. */
const SHRINKS_MAX = 20

/** `owner` is the user to whom the root directory belongs. */
export function mountSmallDisk(kilobytes: number, owner = 'root') {
  const directory = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'reelkeep-test', directory])
  const ownerId = execFileSync('id', ['-u', owner], { encoding: 'utf8' }).trim()
  mount(`size=${kilobytes}k,mode=0700,uid=${ownerId}`)
  const ballast = join(directory, 'ballast')
  return {
    directory,
    /** Uses up the rest of the space. Returns a function that frees it. */
    fill: () => {
      const file = openSync(ballast, 'w')
      const block = Buffer.alloc(4096)
      try {
        for (;;) writeSync(file, block)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
      return () => rmSync(ballast)
    },
    resize: (size: number) => mount(`remount,size=${size}k`),
    /** Shrinks the disk to its files and this much free space: a size below that of the files would be refused. */
    shrinkToFiles: (freeKilobytes: number) => {
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = statfsSync(directory)
        try {
          return void mount(`remount,size=${((blocks - bfree) * bsize) / 1024 + freeKilobytes}k`)
        } catch (error) {
          if (attempt === SHRINKS_MAX) throw error
        }
      }
    },
    makeReadOnly: () => mount('remount,ro'),
    [Symbol.dispose]: () => {
      // Lazily, because a worker that was killed by a test may still have it open.
      execFileSync('umount', ['--lazy', directory])
      rmSync(directory, { recursive: true })
    },
  }
}
