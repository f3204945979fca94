/** The kinds of faults of a mix. Each kind describes one fault of its kind, which can be started and ended. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Action,
  changeResponse,
  type Exchange,
  type HttpProxy,
  latency,
  type Rule,
  resetPeer,
  respond,
  runStack,
} from '@reelkeep/testkit'
import { type EventReceiver, receiverModes } from '../events/event-receiver.ts'
import type { Chance } from '../support/random.ts'
import { type MixService, type Node, portOf, SCRATCH_KILOBYTES } from './mix-service.ts'
import { losses, type Network } from './network.ts'

export type FaultSite = {
  readonly service: MixService
  readonly network: Network
  readonly receiver: Pick<EventReceiver, 'setMode'>
  /** Set by a failover: the standby is the primary from then on. */
  isFailedOver: boolean
}

export type Fault = {
  readonly what: string
  /** What the fault breaks. Two faults of the same part run one after the other. */
  readonly parts: readonly string[]
  /** Starts the fault. Resolves with the function that ends it. */
  readonly start: () => Promise<() => unknown>
}

export type FaultKind = {
  /** Frequency relative to other kinds; 0 for a kind that is not chosen at random. */
  readonly weight: number
  /** Shortest and longest duration. */
  readonly seconds: readonly [number, number]
  /** Whether the fault cannot follow a failover. */
  readonly endsWithFailover?: boolean
  /** Whether the fault waits for as long as its part is in use. */
  readonly isRequired?: boolean
  /** Returns one fault, or several that run one after the other. */
  readonly prepare: (site: FaultSite, chance: Chance) => Fault | readonly Fault[]
}

const noEnd = () => {}

/** A fault of the process of one instance. */
const ofInstance =
  (
    verb: string,
    nodesOf: (service: MixService) => readonly Node[],
    start: (node: Node) => ReturnType<Fault['start']>,
  ) =>
  ({ service }: FaultSite, chance: Chance): Fault => {
    const node = chance.oneOf(nodesOf(service))
    const { name } = node.instance
    return { what: `${verb} ${name}`, parts: [name], start: () => start(node) }
  }

const kill = async ({ instance }: Node) => {
  await instance.kill()
  return () => instance.start()
}

const freeze = async ({ instance }: Node) => {
  instance.freeze()
  return () => instance.resume()
}

const restart = async ({ instance }: Node) => {
  await instance.stop()
  return () => instance.start()
}

const fillDisk = async ({ disk }: Node) => {
  disk?.shrinkToFiles(FREE_KILOBYTES)
  return () => disk?.resize(SCRATCH_KILOBYTES)
}

const FREE_KILOBYTES = 64

/** A fault of a server of the stack: a command that breaks it, and one that repairs it. */
const ofServer = (part: string, broken: readonly string[], repaired: readonly string[]) => (): Fault => ({
  what: `stack/fault ${broken.join(' ')}`,
  parts: [part],
  start: async () => {
    await runStack('fault', broken)
    return () => runStack('fault', repaired)
  },
})

/** An instance and a server no longer receive packets from each other, or one of them does not. */
const partition =
  (server: 'postgres' | 'storage') =>
  ({ service, network }: FaultSite, chance: Chance): Fault => {
    const node = chance.oneOf(service.nodes)
    const loss = chance.oneOf(losses)
    const { name } = node.instance
    return {
      what: `drop packets between ${name} and ${server}: ${loss}`,
      parts: [`${name} ${server}`],
      start: () => network.drop(portOf(node[server].url), loss),
    }
  }

type StorageFault = (chance: Chance) => Rule<Exchange>

/** Storage misbehaves for one instance, or for clients that upload. */
const ofStorage =
  (what: string, proxiesOf: (service: MixService) => Record<string, HttpProxy>, ruleOf: StorageFault) =>
  ({ service }: FaultSite, chance: Chance): Fault => {
    const proxies = proxiesOf(service)
    const name = chance.oneOf(Object.keys(proxies))
    const proxy = proxies[name] as HttpProxy
    const rule = ruleOf(chance)
    const start = async () => {
      proxy.rules = [rule]
      return () => {
        proxy.rules = []
      }
    }
    return { what: `storage ${what} for ${name}`, parts: [`${name} rules`], start }
  }

const proxiesOf = (nodes: readonly Node[]) =>
  Object.fromEntries(nodes.map(({ instance, storage }) => [instance.name, storage]))
const everyProxy = ({ nodes, uploads }: MixService) => ({ ...proxiesOf(nodes), clients: uploads })
const workerProxies = ({ workers }: MixService) => proxiesOf(workers)

/** A rule for some of the requests. */
const sometimes = (chance: Chance, likelihood: number, action: Action<Exchange>): Rule<Exchange> => ({
  match: () => chance.isTrue(likelihood),
  action,
})

const slow: StorageFault = (chance) => ({ action: latency(() => sleep(chance.integer(0, 2000))) })
const resets: StorageFault = (chance) => sometimes(chance, 0.4, resetPeer)
const refuses: StorageFault = (chance) => sometimes(chance, 0.5, respond(503))

const isMediaPut = ({ method, path }: Exchange) => method === 'PUT' && /media\//.test(path)

/** Storage acknowledges media files of workers that it does not keep. */
const loses: StorageFault = (chance) => ({
  match: (exchange) => isMediaPut(exchange) && chance.isTrue(0.5),
  action: async (exchange) => {
    const etag = createHash('md5')
      .update(await exchange.body())
      .digest('hex')
    return respond(200, '', { etag: `"${etag}"` })(exchange)
  },
})

/** A byte of a media file is changed on its way to storage. */
const damages: StorageFault = (chance) => ({
  match: (exchange) => isMediaPut(exchange) && chance.isTrue(0.5),
  action: async (exchange) => {
    const body = await exchange.body()
    if (body.length > 0) body.writeUInt8((body[0] ?? 0) ^ 1)
    return changeResponse((response) => response)(exchange)
  },
})

/** All instances are replaced, one after the other, as in an upgrade. */
const roll = ({ service }: FaultSite): readonly Fault[] =>
  service.nodes.map((node) => {
    const { name } = node.instance
    return { what: `replace ${name}, as in an upgrade`, parts: [name], start: () => restart(node) }
  })

/**
 * The clock of Postgres steps, and steps back again. Some steps are shorter than a lease of 10 seconds, and some are
 * longer than the minute after which an attempt without heartbeats is given up.
 */
const stepClock = (_: FaultSite, chance: Chance): Fault => {
  const seconds = chance.integer(3, CLOCK_STEP_SECONDS_MAX) * chance.oneOf([1, -1])
  return {
    what: `step the clock of postgres by ${seconds} s`,
    parts: ['clock'],
    start: async () => {
      await runStack('fault', ['clock', String(seconds)])
      return () => runStack('fault', ['clock', '0'])
    },
  }
}

/** Much shorter than the lifetime of an upload session, so that none expires while its file is sent. */
const CLOCK_STEP_SECONDS_MAX = 90

/** The primary dies, and a synchronous standby takes over. */
const failover = (site: FaultSite): Fault => ({
  what: 'promote a synchronous standby',
  parts: ['postgres'],
  start: async () => {
    await runStack('fault', ['standby', 'sync'])
    await runStack('fault', ['promote'])
    site.isFailedOver = true
    return noEnd
  },
})

const breakReceiver = ({ receiver }: FaultSite, chance: Chance): Fault => {
  const mode = chance.oneOf(receiverModes.filter((one) => one !== 'up'))
  const start = async () => {
    await receiver.setMode(mode)
    return () => receiver.setMode('up')
  }
  return { what: `webhook receiver ${mode}`, parts: ['receiver'], start }
}

const apis = (service: MixService) => service.apis
const workers = (service: MixService) => service.workers

/** Some freezes and partitions are shorter than a lease of 10 seconds, and some are longer. */
const kinds = {
  'kill api': { weight: 3, seconds: [0, 5], prepare: ofInstance('kill', apis, kill) },
  'kill worker': { weight: 3, seconds: [0, 12], prepare: ofInstance('kill', workers, kill) },
  'freeze api': { weight: 2, seconds: [1, 15], prepare: ofInstance('freeze', apis, freeze) },
  'freeze worker': { weight: 3, seconds: [1, 25], prepare: ofInstance('freeze', workers, freeze) },
  restart: { weight: 2, seconds: [0, 2], prepare: ofInstance('stop', ({ nodes }) => nodes, restart) },
  roll: { weight: 1, seconds: [0, 0], prepare: roll },
  'full disk': { weight: 2, seconds: [5, 20], prepare: ofInstance('fill the disk of', workers, fillDisk) },
  'kill postgres': {
    weight: 2,
    seconds: [0, 8],
    endsWithFailover: true,
    prepare: ofServer('postgres', ['postgres-kill'], ['postgres-restart']),
  },
  // Scheduled once, near the end.
  failover: { weight: 0, seconds: [0, 0], endsWithFailover: true, isRequired: true, prepare: failover },
  'clock step': { weight: 2, seconds: [2, 25], prepare: stepClock },
  'kill radosgw': { weight: 1, seconds: [1, 8], prepare: ofServer('radosgw', ['rgw-kill'], ['rgw-start']) },
  'kill osd': { weight: 1, seconds: [1, 10], prepare: ofServer('osd', ['osd-kill', '1'], ['osd-start', '1']) },
  'hang osd': { weight: 1, seconds: [1, 10], prepare: ofServer('osd', ['osd-hang', '1'], ['osd-resume', '1']) },
  'partition from postgres': { weight: 4, seconds: [2, 25], prepare: partition('postgres') },
  'partition from storage': { weight: 3, seconds: [2, 25], prepare: partition('storage') },
  'slow storage': { weight: 2, seconds: [5, 20], prepare: ofStorage('is slow', everyProxy, slow) },
  'storage resets': { weight: 2, seconds: [5, 20], prepare: ofStorage('resets connections', everyProxy, resets) },
  'storage refuses': { weight: 2, seconds: [5, 20], prepare: ofStorage('answers 503', everyProxy, refuses) },
  'storage loses': { weight: 2, seconds: [5, 20], prepare: ofStorage('loses files', workerProxies, loses) },
  'storage damages': { weight: 2, seconds: [5, 20], prepare: ofStorage('damages files', workerProxies, damages) },
  receiver: { weight: 2, seconds: [3, 15], prepare: breakReceiver },
} satisfies Record<string, FaultKind>

export type FaultName = keyof typeof kinds
export const faultKinds: Readonly<Record<FaultName, FaultKind>> = kinds
export const faultNames = Object.keys(kinds) as FaultName[]
