import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Shaka Packager, a program without libraries of its own, which comes as a package of ours. */
export const packager = () =>
  join(
    dirname(createRequire(import.meta.url).resolve('shaka-packager/package.json')),
    'bin',
    `packager-linux-${process.arch}`,
  )
