/** Finds the rules that a series can affect. */

/** A selector without a metric name may read any metric. */
const NAMELESS_SELECTOR = /(?<![\w:{])\{(?!\{)|__name__/
const NAME = /[a-zA-Z_:][\w:]*/g

type Rule = {
  readonly text: string
  /** All metric names and other words in the rule. */
  readonly reads: ReadonlySet<string>
  /** Names by which other rules read the result of this rule. */
  readonly makes: ReadonlySet<string>
}

type Group = { readonly head: string; readonly rules: readonly Rule[] }

/** Parses files in the format of `rules.ts`: groups are indented by two spaces, their rules by six. */
function groupsOf(file: string): Group[] {
  const [, ...groups] = file.split(/^(?= {2}- name: )/m)
  return groups.map((group) => {
    const [head = '', ...rules] = group.split(/^(?= {6}- )/m)
    return { head, rules: rules.map(ruleOf) }
  })
}

/** Parses a rule. If a series is recorded once per SLO, adds the SLO to its name: `reelkeep:slo_errors:rate1h:api`. */
function ruleOf(text: string): Rule {
  if (NAMELESS_SELECTOR.test(text)) throw new Error(`Cannot determine which metrics this rule reads:\n${text}`)
  const body = text.slice(text.indexOf('\n')).replaceAll(/(?<=:\w+)\{slo="(\w+)"\}/g, ':$1')
  const [, recorded = 'ALERTS'] = /^ {6}- record: (\S+)/.exec(text) ?? []
  const [, slo] = /^ {10}slo: (\w+)/m.exec(text) ?? []
  return {
    text,
    reads: new Set(body.match(NAME)),
    makes: new Set([recorded, `${recorded}:${slo}`]),
  }
}

/** Returns these rules and all rules that are reachable from them. */
function reached(rules: readonly Rule[], first: readonly Rule[], next: (from: Rule, to: Rule) => boolean) {
  const found = new Set(first)
  // Iterating over a set includes elements added during the iteration.
  for (const from of found) for (const to of rules) if (next(from, to)) found.add(to)
  return found
}

/**
 * Returns the files without the rules that these metrics cannot affect: rules that read neither the metrics nor
 * anything derived from them. Other inputs of the affected rules are included.
 */
export function affectedRules(files: readonly string[], metrics: readonly string[]): string {
  const groups = files.flatMap(groupsOf)
  const rules = groups.flatMap((group) => group.rules)
  const readers = rules.filter(({ reads }) => metrics.some((metric) => reads.has(metric)))
  const affected = reached(rules, readers, (from, to) => !from.makes.isDisjointFrom(to.reads))
  const needed = reached(rules, [...affected], (from, to) => !from.reads.isDisjointFrom(to.makes))
  const texts = groups.map(({ head, rules }) => {
    const left = rules.filter((rule) => needed.has(rule)).map(({ text }) => text)
    return left.length > 0 ? head + left.join('') : ''
  })
  return `groups:\n${texts.join('')}`
}
