/** The dashboard in Grafana's import format. tests/deploy/alerts.int.test.ts checks that its metrics exist. */
import { describe, expect, it } from 'vitest'
import { dashboard } from '../../deploy/monitoring/dashboard.ts'
import { rows } from '../../deploy/monitoring/panels.ts'

type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
type Source = { readonly type: string; readonly uid: string }
type Target = { readonly refId: string; readonly datasource: Source; readonly expr: string }
type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: Place
  readonly datasource?: Source
  readonly targets?: readonly Target[]
}
type Dashboard = {
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string }[]
  }
  readonly panels: readonly Panel[]
}

const { uid, schemaVersion, templating, panels } = JSON.parse(dashboard()) as Dashboard
const charts = panels.filter(({ type }) => type !== 'row')

const overlap = (one: Place, other: Place) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h

describe('the dashboard', () => {
  it('has all panels of all rows, each with a unique ID', () => {
    expect(charts).toHaveLength(rows.flatMap((row) => row.panels).length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  it('can be imported anywhere: its Prometheus data source is a variable', () => {
    expect(uid).toBe('reelkeep')
    expect(schemaVersion).toBeGreaterThanOrEqual(36)
    expect(templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }])
    const sources = charts.flatMap(({ datasource, targets = [] }) => [
      datasource,
      ...targets.map((target) => target.datasource),
    ])
    for (const source of sources) expect(source).toEqual({ type: 'prometheus', uid: '$datasource' })
  })

  it.each(charts)('has the panel $title with queries, each with a unique letter', ({ targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.every(({ refId, expr }) => /^[A-Z]$/.test(refId) && expr !== '')).toBe(true)
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
  })

  it.each(panels)('has the panel $title inside the grid, where it overlaps no other panel', (panel) => {
    const { x, w } = panel.gridPos
    expect(x + w).toBeLessThanOrEqual(24)
    const others = panels.filter(({ id }) => id !== panel.id)
    expect(others.filter(({ gridPos }) => overlap(panel.gridPos, gridPos))).toEqual([])
  })
})
