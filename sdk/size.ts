/** `pnpm size` prints the size of the SDK, minified and compressed, and fails if it exceeds the limit. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minifySync } from 'vite'

/** Maximum sizes, stated in docs/guides/sdk.md. */
const gzipKilobytesMax = { 'reelkeep.js': 16, 'reelkeep.node.js': 16, 'queue.js': 6 }

for (const [file, kilobytesMax] of Object.entries(gzipKilobytesMax)) {
  const { code } = minifySync(file, readFileSync(join(import.meta.dirname, 'dist', file), 'utf8'), {
    module: true,
  })
  const gzipBytes = gzipSync(code, { level: 9 }).length
  const sizes = `${(code.length / 1000).toFixed(1)} kB minified, ${(gzipBytes / 1000).toFixed(1)} kB gzip`
  process.stdout.write(`${file}: ${sizes}, of ${kilobytesMax} kB\n`)
  if (gzipBytes > kilobytesMax * 1000) process.exitCode = 1
}
