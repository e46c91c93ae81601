import { expectRefusedOftenToComplete, OFTEN_REFUSED } from '../support/often-refused';
import { Product } from '../support/product';

it('a hundred and five 429s at the ASR and sixty at the LLM over forty sessions fail nobody', async () => {
  const product = await Product.start(OFTEN_REFUSED);
  try {
    await expectRefusedOftenToComplete(product, { sessions: 40, asr: 105, llm: 60, retryAfter: 1 }, 540_000);
  } finally {
    await product.stop();
  }
}, 600_000);
