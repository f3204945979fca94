import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Path of Shaka Packager, a statically linked program from an npm package. */
export const packager = () =>
  join(
    dirname(createRequire(import.meta.url).resolve('shaka-packager/package.json')),
    'bin',
    `packager-linux-${process.arch}`,
  )
