import { Gauge, type Registry } from 'prom-client'

export function gaugeStreams(registry: Registry, openCount: () => number): void {
  new Gauge({
    name: 'reelkeep_event_streams',
    help: 'Open event streams.',
    registers: [registry],
    collect() {
      this.set(openCount())
    },
  })
}
