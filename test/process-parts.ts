type Close = () => unknown

const parts: Close[] = []

/** Registers a part that the files of this process share; closed when all of them are done. */
export const keepForProcess = (close: Close): void => void parts.push(close)

export async function closeProcessParts(): Promise<void> {
  for (const close of parts.splice(0).reverse()) await close()
}
