// crashes after a good beginning
console.log("cba");
throw new Error("the mirror broke");
