/** A CORS rule of S3. Several rules may together allow an origin. */
type CorsRule = {
  readonly AllowedMethods?: readonly string[] | undefined
  readonly AllowedOrigins?: readonly string[] | undefined
}

/** Returns the origins for which one or several rules together allow all the methods; `*` means every origin. */
export function originsAllowing(methods: readonly string[], rules: readonly CorsRule[]): string[] {
  const originsOf = (method: string) =>
    new Set(
      rules
        .filter(({ AllowedMethods = [] }) => AllowedMethods.includes(method))
        .flatMap(({ AllowedOrigins = [] }) => AllowedOrigins),
    )
  const allowed = methods.map(originsOf)
  const mentioned = new Set(allowed.flatMap((origins) => [...origins]))
  return [...mentioned].filter((origin) => allowed.every((origins) => origins.has(origin) || origins.has('*')))
}
