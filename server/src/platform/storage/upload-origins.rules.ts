/** As storage tells it; it goes by all rules, not by one that has everything. */
type CorsRule = {
  readonly AllowedMethods?: readonly string[] | undefined
  readonly AllowedOrigins?: readonly string[] | undefined
}

/** The origins whose pages may do all of this, by one rule or by several; `*` stands for every origin. */
export function originsThatMay(methods: readonly string[], rules: readonly CorsRule[]): string[] {
  const originsOf = (method: string) =>
    new Set(
      rules
        .filter(({ AllowedMethods = [] }) => AllowedMethods.includes(method))
        .flatMap(({ AllowedOrigins = [] }) => AllowedOrigins),
    )
  const allowed = methods.map(originsOf)
  const mentioned = new Set(allowed.flatMap((origins) => [...origins]))
  return [...mentioned].filter((origin) =>
    allowed.every((origins) => origins.has(origin) || origins.has('*')),
  )
}
