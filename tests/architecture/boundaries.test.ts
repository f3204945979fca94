import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IFlattenedRuleSet,
} from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** For each rule of boundaries.cjs, a file that violates it, and its import. */
const violations: Record<string, readonly [file: string, imports: string]> = {
  'no-cycles': ['server/src/kernel/about.ts', './round.ts'],
  'kernel-stands-alone': ['server/src/kernel/time.ts', '../platform/db/database.ts'],
  'platform-knows-no-capability': [
    'server/src/platform/http/route.ts',
    '../../capabilities/folders/folders.ts',
  ],
  'main-is-the-top': ['server/src/platform/http/server.ts', '../../main/context.ts'],
  'upkeep-looks-after-all': ['server/src/platform/db/multiplexer.ts', '../../upkeep/holdings.ts'],
  'upkeep-comes-by-the-front-door': [
    'server/src/upkeep/holdings.ts',
    '../capabilities/assets/assets.store.ts',
  ],
  'cells-are-above-all-of-one': [
    'server/src/platform/http/authenticate.ts',
    '../../cells/placement.ts',
  ],
  'cells-come-by-the-front-door': [
    'server/src/cells/move/rows/rows.ts',
    '../../../capabilities/assets/assets.store.ts',
  ],
  'front-door-only': [
    'server/src/capabilities/tokens/tokens.ts',
    '../organizations/organizations.rules.ts',
  ],
  'capabilities-enter-in-order': [
    'server/src/capabilities/organizations/organizations.ts',
    '../tokens/tokens.ts',
  ],
  'folders-enters-only-events': [
    'server/src/capabilities/folders/folder-tree.store.ts',
    '../tokens/tokens.ts',
  ],
  'tokens-enters-only-events': [
    'server/src/capabilities/tokens/tokens.store.ts',
    '../folders/folders.ts',
  ],
  'webhooks-enters-only-events': [
    'server/src/capabilities/webhooks/webhooks.ts',
    '../folders/folders.ts',
  ],
  'assets-enters-only-events-folders': [
    'server/src/capabilities/assets/assets.ts',
    '../tokens/tokens.ts',
  ],
  'content-keys-enters-only-assets': [
    'server/src/capabilities/content-keys/content-keys.ts',
    '../folders/folders.ts',
  ],
  'renditions-enters-only-assets-events': [
    'server/src/capabilities/renditions/renditions.ts',
    '../folders/folders.ts',
  ],
  'pipeline-enters-only-assets-chapters-content-keys-events-renditions-subtitles': [
    'server/src/capabilities/pipeline/pipeline.ts',
    '../folders/folders.ts',
  ],
  'chapters-enters-only-assets-events': [
    'server/src/capabilities/chapters/chapters.ts',
    '../folders/folders.ts',
  ],
  'access-tokens-enters-only-assets-signing-keys': [
    'server/src/capabilities/access-tokens/access-tokens.ts',
    '../folders/folders.ts',
  ],
  'playback-enters-only-access-tokens-assets-chapters-content-keys-subtitles': [
    'server/src/capabilities/playback/playback.ts',
    '../folders/folders.ts',
  ],
  'embedding-enters-only-assets': [
    'server/src/capabilities/embedding/embedding.ts',
    '../folders/folders.ts',
  ],
  'subtitles-enters-only-assets-events': [
    'server/src/capabilities/subtitles/subtitles.ts',
    '../folders/folders.ts',
  ],
  'upload-sessions-enters-only-assets-events-pipeline': [
    'server/src/capabilities/upload-sessions/upload-sessions.ts',
    '../folders/folders.ts',
  ],
  'wire-files-are-for-the-wire': [
    'server/src/capabilities/upload-sessions/upload-finalization.ts',
    '../assets/assets.wire.ts',
  ],
  'routes-call-the-front-door': [
    'server/src/capabilities/folders/folders.routes.ts',
    './folders.store.ts',
  ],
  'stores-speak-sql-only': [
    'server/src/capabilities/folders/folders.store.ts',
    '../../platform/http/page.ts',
  ],
  'sql-in-stores-only': ['server/src/capabilities/folders/folders.ts', 'kysely'],
  'engine-in-jobs-only': ['server/src/platform/observability/metrics.ts', '@dbos-inc/dbos-sdk'],
  'rules-are-pure': [
    'server/src/capabilities/folders/folders.rules.ts',
    '../../platform/db/database.ts',
  ],
  'rules-need-no-library': ['server/src/capabilities/tokens/tokens.rules.ts', 'node:fs'],
  'contract-stands-alone': ['contract/src/folders.ts', '../../server/src/kernel/ids.ts'],
  'media-stands-alone': ['media/src/probe/probe.ts', '../../../server/src/kernel/ids.ts'],
  'player-stands-alone': ['player/src/engine.ts', '../../server/src/kernel/ids.ts'],
  'sdk-stands-alone': ['sdk/src/http/list.ts', 'typebox'],
  'sdk-runs-everywhere': ['sdk/src/http/errors.ts', 'node:fs'],
  'cli-is-a-user-of-the-sdk': ['cli/src/program.ts', '../../server/src/kernel/ids.ts'],
  'one-file-starts-processes': ['server/src/platform/storage/objects.ts', 'node:child_process'],
  'tests-are-black-box': [
    'tests/acceptance/section.test-world.ts',
    '../../server/src/kernel/ids.ts',
  ],
}

/** Files that the violating files import. */
const innocent: Record<string, string> = {
  'server/src/kernel/round.ts': `export type { A } from './about.ts'`,
  'server/src/kernel/ids.ts': '',
  'server/src/platform/db/database.ts': '',
  'server/src/platform/http/page.ts': '',
  'server/src/main/context.ts': '',
  'server/src/cells/placement.ts': '',
  'server/src/capabilities/organizations/organizations.rules.ts': '',
  'server/src/capabilities/assets/assets.store.ts': '',
  'server/src/capabilities/assets/assets.wire.ts': '',
}

const { forbidden, options } = createRequire(import.meta.url)(join(root, 'boundaries.cjs')) as {
  forbidden: NonNullable<IFlattenedRuleSet['forbidden']>
  options: ICruiseOptions
}

describe('boundaries.cjs', () => {
  const house = mkdtempSync(join(tmpdir(), 'boundaries-'))
  const brokenBy = new Map<string, string[]>()
  beforeAll(async () => {
    for (const [file, imports] of Object.values(violations)) {
      // A type-only import counts like any other.
      write(house, file, `import type { A } from '${imports}'\nexport type { A }`)
    }
    for (const [file, source] of Object.entries(innocent)) write(house, file, source)
    symlinkSync(join(root, 'server/node_modules'), join(house, 'server/node_modules'))
    symlinkSync(join(root, 'contract/node_modules'), join(house, 'sdk/node_modules'))
    const parts = ['cli', 'contract', 'media', 'player', 'sdk/src', 'server/src', 'tests']
    const { output } = await cruise(parts, {
      ...options,
      baseDir: house,
      ruleSet: { forbidden },
      validate: true,
    })
    for (const { rule, from } of (output as ICruiseResult).summary.violations) {
      brokenBy.set(rule.name, [...(brokenBy.get(rule.name) ?? []), from])
    }
  })
  afterAll(() => rmSync(house, { recursive: true }))

  it('has a planted violation for every rule', () => {
    expect(Object.keys(violations).sort()).toEqual(forbidden.map(({ name }) => name).sort())
  })

  it.each(Object.entries(violations))('%s: is violated by %s', (rule, [file]) => {
    expect(brokenBy.get(rule)).toContain(file)
  })
})

function write(house: string, file: string, source: string): void {
  const path = join(house, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
}
