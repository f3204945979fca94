/**
 * The first of these that was said. What is no number, such as the `Number` of a variable that
 * nobody set, counts as not said: compared with anything, it would be a limit that is never
 * reached.
 */
export const said = (...numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.find((each) => typeof each === 'number' && !Number.isNaN(each))
