import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const dist = join(import.meta.dirname, 'dist')

/**
 * Files are named by their content, so that whoever has one keeps it for ever; what pages name
 * themselves must always be called the same, and only leads there.
 */
const stableEntry: Plugin = {
  name: 'stable-entry',
  writeBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || !file.isEntry) continue
      const names = file.name === 'reelkeep-player' ? ' { ReelkeepPlayer }' : undefined
      const text = names ? `export${names} from './${file.fileName}'\n` : ''
      writeFileSync(join(dist, `${file.name}.js`), text || `import './${file.fileName}'\n`)
    }
  },
}

/** Compressed once, here, as well as it can be: whoever serves the files only picks one. */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      const content = file.type === 'chunk' ? file.code : file.source
      writeFileSync(join(dist, `${file.fileName}.br`), brotliCompressSync(content))
      writeFileSync(join(dist, `${file.fileName}.gz`), gzipSync(content, { level: 9 }))
    }
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [stableEntry, compressed],
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2022',
    // A chunk that is preloaded twice is fetched twice by some; the element asks for its engine early itself.
    modulePreload: false,
    // The engine is one piece of somebody else's.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // To compress as well as it can be done takes most of the time, and is meant to.
      checks: { bundlerTimings: false },
      input: {
        'reelkeep-player': join(import.meta.dirname, 'src/reelkeep-player.ts'),
        embed: join(import.meta.dirname, 'src/embed.ts'),
      },
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
