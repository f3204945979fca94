/**
 * `pnpm --filter @reelkeep/cli build` builds one file, which npm installs as the command. Dependencies are installed
 * separately.
 */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import manifest from './package.json' with { type: 'json' }

const root = import.meta.dirname
const dependencies = Object.keys(manifest.dependencies)

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: join(root, 'dist'),
    emptyOutDir: true,
    target: 'node22',
    minify: false,
    lib: { entry: join(root, 'src/main.ts'), formats: ['es'], fileName: () => 'main.js' },
    rolldownOptions: { external: [/^node:/, ...dependencies] },
  },
})
chmodSync(join(root, 'dist/main.js'), 0o755)
