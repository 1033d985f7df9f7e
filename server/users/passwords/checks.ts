// The rules that the password itself decides. Pages import this file to check while the user types.

/** Four consecutive characters that ascend, descend or repeat. */
function hasRun(password: string): boolean {
  const codes = [...password.toLowerCase()].map((c) => c.codePointAt(0)!)
  return codes.some((_, at) =>
    [-1, 0, 1].some(
      (step) =>
        at >= 3 && [0, 1, 2].every((back) => codes[at - back]! - codes[at - back - 1]! === step),
    ),
  )
}

/** Each returns whether the password breaks the rule. */
export const CHECKS = {
  minLength: (password: string, _: string, minimum = 0) => [...password].length < minimum,
  lowercase: (password: string) => !/\p{Ll}/u.test(password),
  uppercase: (password: string) => !/\p{Lu}/u.test(password),
  number: (password: string) => !/\p{Nd}/u.test(password),
  specialCharacter: (password: string) => !/[^\p{L}\p{N}\s]/u.test(password),
  username: (password: string, username: string) =>
    username.length > 2 && password.toLowerCase().includes(username.toLowerCase()),
  sequentialOrRepetitive: hasRun,
} satisfies Record<string, (password: string, username: string, minimum?: number) => boolean>
