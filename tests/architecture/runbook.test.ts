import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { describe, expect, it } from 'vitest'
import { alertNames } from '../../deploy/monitoring/rules.ts'
import { slos } from '../../deploy/monitoring/slos.ts'

const read = (path: string) => readFileSync(join(root, 'docs/operations', path), 'utf8')

describe('the runbook', () => {
  const sections = read('runbook.md').split(/^### /m).slice(1)
  const titleOf = (section: string) => section.split('\n', 1)[0] ?? ''

  it('has a section for every alert, and no others', () => {
    expect(sections.map(titleOf).toSorted()).toEqual(alertNames().toSorted())
  })

  it.each(sections.map((section) => [titleOf(section), section]))(
    'says for %s what users notice, how to confirm it and what to do',
    (_, section) => {
      for (const part of ['**For users:**', '**Confirm:**', '**Do:**']) {
        expect(section).toContain(part)
      }
    },
  )
})

describe('references in the runbook', () => {
  const page = read('runbook.md')
  const source = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, 'server/src', path), 'utf8'))
    .join('\n')
  const quoted = (form: RegExp) => [...new Set([...page.matchAll(form)].map(([, one = '']) => one))]

  it.each(quoted(/(?:\.msg == |test\()"([^"]+)"/g))('"%s" is a log message', (words) => {
    expect(source.includes(words)).toBe(true)
  })

  it.each(quoted(/\b(reelkeep_(?!owner|api|worker\b|backup)[a-z_]+[a-z])/g))('%s is a metric', (name) => {
    // Some metric names in the runbook are prefixes, and histograms appear with the suffixes of their series.
    expect(source.includes(`name: '${name.replace(/_(count|bucket|sum)$/, '')}`)).toBe(true)
  })

  it.each(quoted(/admin(?:\.ts)? ([a-z]+(?:-[a-z]+)+)/g))('%s is a command of admin', (name) => {
    expect(source.includes(name)).toBe(true)
  })
})

describe('the page of service level objectives', () => {
  it.each(slos)('documents the objective of $name', ({ title, objective }) => {
    const page = read('slos.md')
    expect(page).toContain(title.split(': ')[1])
    expect(page).toContain(`${(objective * 100).toFixed(objective > 0.99 ? 1 : 0)} %`)
  })
})
