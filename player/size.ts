/**
 * `pnpm --filter @reelkeep/player size`: what a viewer loads before a video plays, and whether that
 * is more than we allow ourselves.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/**
 * The engine alone is 182 kB; with the engine's own controls it would be 303 kB. What is ours has
 * to stay a small part of the whole: another feature fits, another library does not. See
 * docs/decisions/0018-the-player.md.
 */
const GZIP_KILOBYTES_MAX = 205
/** Before the engine arrives the poster, the title and the controls are there. */
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

type Sizes = { readonly raw: number; readonly gzip: number; readonly brotli: number }

const sum = (of: readonly Sizes[], key: keyof Sizes) => of.reduce((all, one) => all + one[key], 0)
const totalOf = (of: readonly Sizes[]): Sizes => ({
  raw: sum(of, 'raw'),
  gzip: sum(of, 'gzip'),
  brotli: sum(of, 'brotli'),
})

const total = totalOf(files)
const first = totalOf(files.filter(({ name }) => !name.startsWith('shaka')))
for (const file of files) process.stdout.write(line(file.name, file))
process.stdout.write(line('first: all but the engine', first))
process.stdout.write(line('all of it', total))
process.stdout.write(
  `Allowed: ${FIRST_GZIP_KILOBYTES_MAX} kB first, ${GZIP_KILOBYTES_MAX} kB in all, gzip.\n`,
)
if (total.gzip > GZIP_KILOBYTES_MAX * 1000 || first.gzip > FIRST_GZIP_KILOBYTES_MAX * 1000) {
  process.stderr.write('The player is larger than that.\n')
  process.exitCode = 1
}
