module pmtools/test/site

go 1.26.0

require github.com/yuin/goldmark v1.8.7

require pmtools v0.0.0

replace pmtools => ../..
