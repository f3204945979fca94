/**
 * Returns the first argument that is a number. NaN, such as `Number()` of an unset variable, counts as not given: as
 * a limit, it would never be reached.
 */
export const firstNumber = (...numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.find((each) => typeof each === 'number' && !Number.isNaN(each))
