/** Which kinds of provider are emulated in this installation: emulation is always named as such. */
export class EmulationNotice {
  constructor(readonly kinds: readonly ('asr' | 'llm')[]) {}
}
