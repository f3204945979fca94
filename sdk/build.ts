/**
 * `pnpm --filter reelkeep build [folder]` builds one file for Node and one for all other runtimes, the queue of uploads
 * for pages, not minified, and the type declarations (default folder: `dist/`).
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const root = import.meta.dirname
const outDir = resolve(process.argv[2] ?? join(root, 'dist'))

const targets = [
  { entry: 'src/reelkeep.ts', file: 'reelkeep.node.js', conditions: ['node', 'import'] },
  { entry: 'src/reelkeep.ts', file: 'reelkeep.js', conditions: ['import'] },
  { entry: 'src/queue/queue.ts', file: 'queue.js', conditions: ['import'] },
]

for (const [index, { entry, file, conditions }] of targets.entries())
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions },
    build: {
      outDir,
      emptyOutDir: index === 0,
      target: 'es2022',
      minify: false,
      lib: { entry: join(root, entry), formats: ['es'], fileName: () => file },
      rolldownOptions: { external: /^node:/ },
    },
  })

const types = join(outDir, 'types')
const flags = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', types]
execFileSync('tsc', ['-p', '.', ...flags], { cwd: root, stdio: 'inherit' })
