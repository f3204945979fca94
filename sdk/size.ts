/** `pnpm size` prints the size of the SDK, minified and compressed, and fails if it exceeds the limit. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minifySync } from 'vite'

/** Maximum size, stated in docs/guides/sdk.md. */
const GZIP_KILOBYTES_MAX = 15

for (const file of ['reelkeep.js', 'reelkeep.node.js']) {
  const { code } = minifySync(file, readFileSync(join(import.meta.dirname, 'dist', file), 'utf8'), {
    module: true,
  })
  const gzipBytes = gzipSync(code, { level: 9 }).length
  const sizes = `${(code.length / 1000).toFixed(1)} kB minified, ${(gzipBytes / 1000).toFixed(1)} kB gzip`
  process.stdout.write(`${file}: ${sizes}, of ${GZIP_KILOBYTES_MAX} kB\n`)
  if (gzipBytes > GZIP_KILOBYTES_MAX * 1000) process.exitCode = 1
}
