import { DataSource } from 'typeorm';
import { Product } from '../support/product';

/** Constraints and indexes are written and named by hand in the migrations; tables and columns must be the entities'. */
const ABOUT_CONSTRAINTS = /(ADD|DROP) CONSTRAINT|(CREATE|DROP) INDEX/;

describe('the migrations', () => {
  it('make the tables and columns that the entities describe', async () => {
    const product = await Product.start({ processes: 'api' });
    try {
      const { upQueries } = await product.get(DataSource).driver.createSchemaBuilder().log();
      const queries = upQueries.map(({ query }) => query).filter((query) => !ABOUT_CONSTRAINTS.test(query));
      expect(queries).toEqual([]);
    } finally {
      await product.stop();
    }
  });
});
