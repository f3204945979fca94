import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const dist = join(import.meta.dirname, 'dist')

/**
 * Built files have a content hash in their name and can be cached forever. Pages reference a file with a stable
 * name that only re-exports the hashed one.
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

/** Precompresses all files at the highest level; the server picks a variant. */
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
    // Preloading is disabled, because some browsers fetch a preloaded chunk twice. The player element requests its
    // engine early anyway.
    modulePreload: false,
    license: { fileName: 'third-party-licenses.md' },
    // Disables a warning about shaka-player, which is one large chunk.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Compression takes most of the build time, as intended, so the warning is disabled.
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
