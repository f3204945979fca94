/** `pnpm --filter @reelkeep/player size`: prints the size of the player and fails if it exceeds the budget. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/**
 * Maximum size of the player, compressed with gzip. shaka-player alone is 182 kB, or 303 kB with its own
 * controls. The budget leaves room for features, not for another library. See docs/decisions/0018-player.md.
 */
const GZIP_KILOBYTES_MAX = 205
/** Maximum size without shaka-player: the code that shows the poster, the title and the controls. */
const FIRST_GZIP_KILOBYTES_MAX = 22

const dist = join(import.meta.dirname, 'dist')
const hashed = readdirSync(dist).filter((name) => /-[\w-]{8}\.js$/.test(name))

const files = hashed
  .filter((name) => !name.startsWith('embed-'))
  .map((name) => {
    const content = readFileSync(join(dist, name))
    return {
      name,
      raw: content.length,
      gzip: gzipSync(content, { level: 9 }).length,
      brotli: brotliCompressSync(content).length,
    }
  })

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1).padStart(7)} kB`
const line = (name: string, { raw, gzip, brotli }: Sizes) =>
  `${name.padEnd(42)} ${kilobytes(raw)} ${kilobytes(gzip)} gzip ${kilobytes(brotli)} brotli\n`

/** The engine, and panels that are loaded when the viewer opens them. */
const isLoadedLater = (name: string) => /^(shaka|transcript)/.test(name)

type Sizes = { readonly raw: number; readonly gzip: number; readonly brotli: number }

const sum = (files: readonly Sizes[], key: keyof Sizes) => files.reduce((total, file) => total + file[key], 0)
const totalOf = (files: readonly Sizes[]): Sizes => ({
  raw: sum(files, 'raw'),
  gzip: sum(files, 'gzip'),
  brotli: sum(files, 'brotli'),
})

const total = totalOf(files)
const first = totalOf(files.filter(({ name }) => !isLoadedLater(name)))
for (const file of files) process.stdout.write(line(file.name, file))
process.stdout.write(line('initial load, without the engine', first))
process.stdout.write(line('total', total))
process.stdout.write(
  `Budget (gzip): ${FIRST_GZIP_KILOBYTES_MAX} kB for the initial load, ${GZIP_KILOBYTES_MAX} kB in total.\n`,
)
if (total.gzip > GZIP_KILOBYTES_MAX * 1000 || first.gzip > FIRST_GZIP_KILOBYTES_MAX * 1000) {
  process.stderr.write('The player exceeds its size budget.\n')
  process.exitCode = 1
}
